// SPDX-License-Identifier: MIT OR Apache-2.0
// One line that a person types at the bottom of a live view. Closed while something is written above it, and opened
// again with what was typed so far.
import { createInterface } from "node:readline";
import type { Interface } from "node:readline";
import type { Context } from "./context.ts";

export class PromptLine {
  readonly #context: Pick<Context, "stdin" | "stderr" | "interrupts">;
  readonly #onLine: (text: string) => void;
  readonly #onEnd: () => void;
  #lines: Interface | undefined;
  /** What was typed and not entered, and for what. */
  #draft = { topic: "", text: "" };
  #history: string[] = [];

  /** `line`: what was entered; pasted lines come as one text. `end`: Ctrl-D. Ctrl-C is raised as the interrupt it is. */
  constructor(
    context: Pick<Context, "stdin" | "stderr" | "interrupts">,
    on: { readonly line: (text: string) => void; readonly end: () => void },
  ) {
    this.#context = context;
    this.#onLine = on.line;
    this.#onEnd = on.end;
  }

  /** A draft comes back only to the topic that it was typed for: half a prompt must not become an answer. */
  open(prompt: string, topic: string): void {
    if (this.#lines !== undefined) return;
    const lines = createInterface({
      input: this.#context.stdin,
      output: this.#context.stderr,
      terminal: true,
      prompt,
      history: this.#history,
      historySize: historyMax,
    });
    this.#lines = lines;
    if (this.#draft.topic !== topic) this.#draft = { topic, text: "" };
    this.#listen(lines);
    lines.prompt();
    if (this.#draft.text !== "") lines.write(this.#draft.text);
  }

  /** Takes the line off the screen; what was typed is kept for its topic. */
  close(): void {
    const lines = this.#lines;
    if (lines === undefined) return;
    this.#draft = { topic: this.#draft.topic, text: lines.line };
    this.#forget(lines);
    this.#context.stderr.write("\r\u001b[K");
  }

  #listen(lines: Interface): void {
    const entered: string[] = [];
    lines.on("history", (history) => {
      this.#history = history;
    });
    lines.on("line", (line) => {
      entered.push(line);
      if (entered.length > 1) return;
      // Lines of one paste come within this tick: they are one text, and not as many prompts.
      setImmediate(() => {
        this.#draft = { topic: this.#draft.topic, text: lines.line };
        if (this.#lines === lines) this.#forget(lines);
        this.#onLine(entered.join("\n"));
      });
    });
    lines.on("SIGINT", () => {
      this.#forget(lines);
      this.#context.stderr.write("\n");
      this.#context.interrupts.raise();
    });
    lines.on("close", () => {
      if (this.#lines !== lines) return;
      this.#lines = undefined;
      this.#context.stderr.write("\n");
      this.#onEnd();
    });
  }

  // Forgotten first, so that its `close` event is not taken for the end of input.
  #forget(lines: Interface): void {
    this.#lines = undefined;
    lines.close();
  }
}

const historyMax = 100;
