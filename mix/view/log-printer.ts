// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes a session's log to stdout: rows for people, or entries as they are.
import type { Entry } from "../../agentd/vocabulary/entries.ts";
import type { Context } from "../process/context.ts";
import type { Output } from "../process/output.ts";
import { detectScreen, pauseMs } from "./live-view.ts";
import { LogRows, type LogRowsOptions } from "./log-rows.ts";

export interface LogPrinter {
  readonly add: (entry: Entry) => void;
  /** Drops all but the last rows or entries that are not written. */
  readonly keepLast: (count: number) => void;
  /** Whether the last rows or entries are there in full, wherever reading began. */
  readonly hasTail: (count: number) => boolean;
  /** Forgets what was added. */
  readonly clear: () => void;
  /** Whether nothing was added. */
  readonly isEmpty: boolean;
  /** Writes what is complete, and with `all` the rest as it is now. */
  readonly write: (all?: boolean) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** With --json the entries, with --quiet their cursors. */
export class EntryPrinter implements LogPrinter {
  readonly #output: Output;
  #waiting: Entry[] = [];
  isEmpty = true;

  constructor(output: Output) {
    this.#output = output;
  }

  add(entry: Entry): void {
    this.#waiting.push(entry);
    this.isEmpty = false;
  }

  keepLast(count: number): void {
    this.#waiting.splice(0, Math.max(0, this.#waiting.length - count));
  }

  hasTail(count: number): boolean {
    return this.#waiting.length === count;
  }

  clear(): void {
    this.#waiting = [];
  }

  async write(): Promise<void> {
    for (const entry of this.#waiting.splice(0)) {
      const { log, session, seq } = entry;
      await (this.#output.mode === "json" ? this.#output.row(entry) : this.#output.line(`${log}/${session}/${seq}`));
    }
  }

  end(): Promise<void> {
    return this.write();
  }
}

export class RowPrinter implements LogPrinter {
  readonly #context: Context;
  readonly #output: Output;
  readonly #options: LogRowsOptions;
  #rows: LogRows;
  #cancelFlush: () => void = () => undefined;

  constructor(
    context: Context,
    output: Output,
    { lastSeq, ...options }: Pick<LogRowsOptions, "directory" | "kinds"> & { readonly lastSeq: number },
  ) {
    this.#context = context;
    this.#output = output;
    this.#options = { ...detectScreen(context), ...options, seqColumns: Math.max(4, String(lastSeq).length) };
    this.#rows = new LogRows(this.#options);
  }

  get isEmpty(): boolean {
    return this.#rows.isEmpty;
  }

  add(entry: Entry): void {
    this.#rows.add(entry);
  }

  keepLast(count: number): void {
    this.#rows.keepLast(count);
  }

  hasTail(): boolean {
    return this.#rows.hasTail;
  }

  clear(): void {
    this.#rows = new LogRows(this.#options);
  }

  /** With `all`, nothing more may come for a while, so the word that is held back is written soon. */
  write(all = false): Promise<void> {
    this.#cancelFlush();
    if (all) this.#cancelFlush = this.#context.after(pauseMs, () => void this.#output.text(this.#rows.takeWord()));
    return this.#output.text(this.#rows.take(all));
  }

  end(): Promise<void> {
    this.#cancelFlush();
    return this.#output.text(this.#rows.end());
  }
}
