// SPDX-License-Identifier: MIT OR Apache-2.0
// The transcript on a screen, with a spinner while the agent works and nothing else moves.
import type { Entry, EntryContent } from "../../agentd/vocabulary/entries.ts";
import { colours, plain, rendered, type Style, type Text } from "../../display/styled.ts";
import type { TextOutput } from "../../display/text-output.ts";
import type { AskedEntry } from "../questions/open-questions.ts";
import type { Context } from "../process/context.ts";
import type { Output } from "../process/output.ts";
import { Spinner } from "./spinner.ts";
import { Transcript } from "./transcript.ts";
import type { TranscriptOptions } from "./transcript.ts";

export class LiveView {
  readonly #output: Output;
  readonly #transcript: Transcript;
  readonly #spinner: Spinner;
  #working = false;

  constructor(context: Context, output: Output, rest: Pick<TranscriptOptions, "showPrompts" | "isOpen" | "directory">) {
    this.#output = output;
    this.#transcript = new Transcript({ ...detectScreen(context), ...rest, now: context.now });
    this.#spinner = new Spinner(context);
  }

  /** `saysWhy` false: the error of what ends here is told elsewhere. Resolves with whether anything was written. */
  show(entry: Entry, saysWhy = true): Promise<boolean> {
    this.#working = isAgentWorking(entry, this.#working);
    return this.#write(this.#transcript.show(entry, saysWhy));
  }

  /** A question, right above the line that answers it. */
  ask(asked: AskedEntry): void {
    this.#working = false;
    void this.#write(this.#transcript.ask(asked));
  }

  resolve(entry: AskedEntry, asked: AskedEntry | undefined, count: string): void {
    this.#working = isAgentWorking({ ...entry, phase: "resolved" }, this.#working);
    void this.#write(this.#transcript.resolve(entry, asked, count));
  }

  async #write(written: Text): Promise<boolean> {
    const text = rendered(written);
    this.#spinner.hide();
    if (text !== "") await this.#output.text(written);
    // In the middle of a line the text itself shows that something goes on.
    if (this.#working && this.#transcript.isAtLineStart) this.#spinner.show();
    return text !== "";
  }

  /** Where the last row ends; 0: at its beginning. */
  get column(): number {
    return this.#transcript.column;
  }

  /** Something else is to stand below. */
  endRow(): void {
    void this.end();
  }

  /** Without a spinner until the next entry: what a person types has its place. */
  hideSpinner(): void {
    this.#spinner.hide();
  }

  async end(): Promise<void> {
    this.#spinner.hide();
    await this.#output.text(this.#transcript.end());
  }
}

/** How wide and how colourful stdout is; no width where it is no terminal. A terminal may not know its own: it says 0. */
export function detectScreen(context: Pick<Context, "stdout" | "env">): {
  style: Style;
  columns: number;
} {
  const { stdout, env } = context;
  return { style: detectStyle(stdout, env), columns: stdout.isTTY ? stdout.columns || 80 : 0 };
}

/** Colour where a terminal shows it and nobody said NO_COLOR. */
function detectStyle({ isTTY }: Pick<TextOutput, "isTTY">, env: Readonly<Record<string, string | undefined>>): Style {
  return isTTY && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb" ? colours : plain;
}

function isAgentWorking(entry: EntryContent, before: boolean): boolean {
  if (entry.kind === "state")
    return entry.state === "starting" || entry.state === "running" || entry.state === "closing";
  if (entry.kind === "turn") return entry.phase === "started" || (before && entry.phase === "queued");
  if (entry.kind === "permission" || entry.kind === "elicitation")
    return entry.phase !== "requested" && entry.phase !== "changed";
  return before;
}
