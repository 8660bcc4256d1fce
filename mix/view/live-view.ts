// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes a session's transcript to stdout, with a spinner while the agent works and no output comes.
import type { Entry, EntryContent } from "../../agentd/vocabulary/entries.ts";
import { colours, plain, rendered, type Text } from "../../display/styled.ts";
import type { AskedEntry } from "../../agent-client/view/open-questions.ts";
import type { Context } from "../process/context.ts";
import type { Output } from "../process/output.ts";
import { Spinner } from "./spinner.ts";
import type { Screen } from "./tool-calls.ts";
import { Transcript, type TranscriptOptions } from "./transcript.ts";

export class LiveView {
  readonly #output: Output;
  readonly #transcript: Transcript;
  readonly #spinner: Spinner;
  readonly #beforeWrite: () => void;
  #isWorking = false;

  constructor(
    context: Context,
    output: Output,
    options: Pick<TranscriptOptions, "showPrompts" | "isOpen" | "directory">,
    /** Makes room for text that is about to be written. */
    beforeWrite: () => void = () => undefined,
  ) {
    this.#beforeWrite = beforeWrite;
    this.#output = output;
    this.#transcript = new Transcript({ ...detectScreen(context), ...options, now: context.now });
    this.#spinner = new Spinner(context);
  }

  /** Resolves to whether text was written. `showsError` false omits the error of a turn or session that ends. */
  show(entry: Entry, showsError = true): Promise<boolean> {
    this.#isWorking = isAgentWorking(entry, this.#isWorking);
    return this.#write(this.#transcript.show(entry, showsError));
  }

  /** Shows a question whole, right above the line that answers it. */
  ask(asked: AskedEntry): void {
    this.#isWorking = false;
    void this.#write(this.#transcript.ask(asked));
  }

  resolve(entry: AskedEntry, asked: AskedEntry | undefined, count: string): void {
    this.#isWorking = isAgentWorking({ ...entry, phase: "resolved" }, this.#isWorking);
    void this.#write(this.#transcript.resolve(entry, asked, count));
  }

  async #write(written: Text): Promise<boolean> {
    const text = rendered(written);
    this.#spinner.hide();
    if (text !== "") {
      this.#beforeWrite();
      await this.#output.text(written);
    }
    // An unfinished line already shows that the agent works.
    if (this.#isWorking && this.#transcript.isAtLineStart) this.#spinner.show();
    return text !== "";
  }

  /** The column at which the last row ends; 0 where the row is empty. */
  get column(): number {
    return this.#transcript.column;
  }

  /** Ends the last row, so that other output can follow below. */
  endRow(): void {
    void this.end();
  }

  /** Hides the spinner until the next entry, to make room for a prompt line. */
  hideSpinner(): void {
    this.#spinner.hide();
  }

  async end(): Promise<void> {
    this.#spinner.hide();
    await this.#output.text(this.#transcript.end());
  }
}

/** Describes stdout. It has 0 columns if it is not a terminal, and 80 if the terminal reports no width. */
export function detectScreen(context: Pick<Context, "stdout" | "env">): Screen {
  const { stdout, env } = context;
  const isColoured = stdout.isTTY && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  return { style: isColoured ? colours : plain, columns: stdout.isTTY ? stdout.columns || 80 : 0 };
}

function isAgentWorking(entry: EntryContent, wasWorking: boolean): boolean {
  if (entry.kind === "state")
    return entry.state === "starting" || entry.state === "running" || entry.state === "closing";
  if (entry.kind === "turn") return entry.phase === "started" || (wasWorking && entry.phase === "queued");
  if (entry.kind === "permission" || entry.kind === "elicitation")
    return entry.phase !== "requested" && entry.phase !== "changed";
  return wasWorking;
}
