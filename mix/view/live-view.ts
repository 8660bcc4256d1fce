// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes a session's transcript to stdout, with a spinner while the agent works and no output comes.
import type { Entry, EntryContent } from "../../agentd/vocabulary/entries.ts";
import { rendered, rich, type Text } from "../../display/styled.ts";
import { type AskedEntry, isAsked } from "../../agent-client/view/open-questions.ts";
import type { Context } from "../process/context.ts";
import type { OutcomeError } from "../process/exit-codes.ts";
import type { Output } from "../process/output.ts";
import { Spinner } from "./spinner.ts";
import { styleOf } from "../process/colour.ts";
import type { Screen } from "./tool-calls.ts";
import { headlineMs, Transcript, type TranscriptOptions } from "./transcript.ts";

export class LiveView {
  readonly #output: Output;
  readonly #transcript: Transcript;
  readonly #spinner: Spinner;
  readonly #beforeWrite: () => void;
  readonly #context: Pick<Context, "now" | "after">;
  /** Text that is shown for now is replaced later, which needs a terminal that can move its cursor. */
  readonly #canRedraw: boolean;
  #isWorking = false;
  #lastMessageAt = 0;
  #cancelPause: (() => void) | undefined;
  #cancelHeadlines: (() => void) | undefined;
  /** Tool calls that began by then are due, by the clock of the log. */
  #headlinesDue = Number.NEGATIVE_INFINITY;
  #onPause = (): void => void this.flush();

  constructor(
    context: Context,
    output: Output,
    options: Pick<TranscriptOptions, "showPrompts" | "isOpen" | "directory" | "self">,
    /** Makes room for text that is about to be written. */
    beforeWrite: () => void = () => undefined,
  ) {
    this.#beforeWrite = beforeWrite;
    this.#output = output;
    this.#context = context;
    this.#canRedraw = context.stdout.isTTY && context.env["TERM"] !== "dumb";
    this.#transcript = new Transcript({ ...detectScreen(context), ...options, now: context.now });
    this.#spinner = new Spinner(context);
  }

  /** Resolves to whether text was written. `showsError` false omits the error of a turn or session that ends. */
  show(entry: Entry, showsError = true): Promise<boolean> {
    this.#isWorking = isAgentWorking(entry, this.#isWorking);
    if (entry.kind === "message") this.#awaitPause();
    const written = this.#transcript.show(entry, showsError);
    this.#awaitHeadlines();
    return this.#write(written);
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

  /** Shows what is held back of a message, and the tool calls that are due. Resolves to whether text was written. */
  flush(): Promise<boolean> {
    const held = this.#transcript.showHeld(this.#headlinesDue);
    return this.#write(rich`${held}${this.#transcript.flush()}`);
  }

  /** Calls back once a message has paused or a tool call is due, for `flush`. */
  onPause(run: () => void): void {
    this.#onPause = run;
  }

  /** One timer for a whole flood of chunks, as each of them would have to cancel one. */
  #awaitPause(): void {
    const { now, after } = this.#context;
    this.#lastMessageAt = now();
    if (this.#cancelPause !== undefined || !this.#canRedraw) return;
    const wait = (ms: number): void => {
      this.#cancelPause = after(ms, () => {
        const left = this.#lastMessageAt + pauseMs - now();
        if (left > 0) return wait(left);
        this.#cancelPause = undefined;
        this.#onPause();
      });
    };
    wait(pauseMs);
  }

  /** Shows the headline of a tool call soon, even if its title is still a placeholder. */
  #awaitHeadlines(): void {
    const since = this.#transcript.heldSince;
    if (since === undefined || this.#cancelHeadlines !== undefined) return;
    // The log's clock may differ from this one, so only its differences count.
    const waitMs = Math.min(headlineMs, Math.max(0, since - this.#headlinesDue));
    this.#cancelHeadlines = this.#context.after(waitMs, () => {
      this.#cancelHeadlines = undefined;
      this.#headlinesDue = since;
      this.#onPause();
      this.#awaitHeadlines();
    });
  }

  async #write(written: Text): Promise<boolean> {
    const text = rendered(written);
    this.#spinner.hide();
    if (text !== "") {
      this.#beforeWrite();
      await this.#output.text(written);
    }
    if (this.#isWorking) this.#spinner.show(this.#transcript.column);
    return text !== "";
  }

  /** The column at which the last row ends; 0 where the row is empty. */
  get column(): number {
    return this.#transcript.column;
  }

  /** Whether this error was shown before, so that nobody needs to be told again. */
  hasShown(error: OutcomeError | undefined): boolean {
    return this.#transcript.hasShown(error);
  }

  /** Ends the last row, so that other output can follow below. */
  endRow(): void {
    this.#spinner.hide();
    void this.#output.text(this.#transcript.endRow());
  }

  /** Hides the spinner until the next entry, to make room for a prompt line. */
  hideSpinner(): void {
    this.#spinner.hide();
  }

  async end(): Promise<void> {
    this.#cancelPause?.();
    this.#cancelPause = undefined;
    this.#cancelHeadlines?.();
    this.#cancelHeadlines = undefined;
    this.#spinner.hide();
    await this.#output.text(this.#transcript.end());
  }
}

export function detectScreen(context: Pick<Context, "words" | "stdout" | "env" | "home">): Screen {
  const { stdout, home } = context;
  return { style: styleOf(context), columns: stdout.columns, ...(stdout.isTTY ? { home } : {}) };
}

/** A message that pauses for so long is shown up to its last character. */
export const pauseMs = 100;

function isAgentWorking(entry: EntryContent, wasWorking: boolean): boolean {
  if (entry.kind === "state")
    return entry.state === "starting" || entry.state === "running" || entry.state === "closing";
  // The turn that has taken the prompt in goes on.
  if (entry.kind === "turn" && entry.stop_reason === "steered") return wasWorking;
  if (entry.kind === "turn") return entry.phase === "started" || (wasWorking && entry.phase === "queued");
  if (isAsked(entry)) return entry.phase !== "requested" && entry.phase !== "changed";
  return wasWorking;
}
