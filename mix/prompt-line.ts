// SPDX-License-Identifier: MIT OR Apache-2.0
// One line that a person types at the bottom of a live view. Closed while something is written above it, and opened
// again with what was typed so far.
import { createInterface } from "node:readline";
import type { Interface } from "node:readline";
import type { Context } from "./context.ts";

export class PromptLine {
  readonly #context: Pick<Context, "stdin" | "stderr" | "interrupts">;
  readonly #onLine: (line: string) => void;
  readonly #onEnd: () => void;
  #lines: Interface | undefined;
  #draft = "";
  #history: string[] = [];

  /** `onEnd`: Ctrl-D. Ctrl-C is raised as the interrupt that it is. */
  constructor(
    context: Pick<Context, "stdin" | "stderr" | "interrupts">,
    on: { readonly line: (line: string) => void; readonly end: () => void },
  ) {
    this.#context = context;
    this.#onLine = on.line;
    this.#onEnd = on.end;
  }

  open(prompt: string): void {
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
    lines.on("history", (history) => {
      this.#history = history;
    });
    lines.on("line", (line) => {
      this.#draft = "";
      this.#close(lines);
      this.#onLine(line);
    });
    lines.on("SIGINT", () => {
      this.#close(lines);
      this.#context.stderr.write("\n");
      this.#context.interrupts.raise();
    });
    lines.on("close", () => {
      if (this.#lines !== lines) return;
      this.#lines = undefined;
      this.#onEnd();
    });
    lines.prompt();
    if (this.#draft !== "") lines.write(this.#draft);
  }

  /** Takes the line off the screen; what was typed is kept for the next `open`. */
  close(): void {
    const lines = this.#lines;
    if (lines === undefined) return;
    this.#draft = lines.line;
    this.#close(lines);
    this.#context.stderr.write("\r\u001b[K");
  }

  // Forgotten first, so that its `close` event is not taken for the end of input.
  #close(lines: Interface): void {
    this.#lines = undefined;
    lines.close();
  }
}

const historyMax = 100;
