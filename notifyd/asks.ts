// SPDX-License-Identifier: MIT OR Apache-2.0
// Stores asks in SQLite. Every change is one transaction. An ask ends exactly once: the first valid answer, withdrawal or
// expiry wins.
import { randomBytes } from "node:crypto";
import Database from "better-sqlite3";
import { type TrackedFiles, trackFiles } from "../files/tracked-files.ts";
import {
  type NotifyArguments,
  type NotifyAsk,
  notifyLimits,
  type NotifyOption,
  type NotifyQuestion,
  type NotifyState,
} from "../agentd/vocabulary/index.ts";
import type { Limits } from "./limits.ts";
import { type OpenCount, capacityError } from "./capacity.ts";

export interface AsksOptions {
  readonly database: Database.Database;
  readonly limits: Limits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export type AskResult =
  | { readonly kind: "asked"; readonly ask: NotifyAsk; readonly isNew: boolean }
  /** The source has an ask with this ref and another question. */
  | { readonly kind: "conflict"; readonly ask: NotifyAsk }
  | { readonly kind: "full"; readonly why: string };

/** The ask after an attempt to end it. `changed` is false if it had ended before. */
export interface EndResult {
  readonly ask: NotifyAsk;
  readonly changed: boolean;
}

export class Asks {
  readonly #options: AsksOptions;
  readonly #statements: ReturnType<typeof statementsOf>;
  readonly #files: TrackedFiles;

  constructor(options: AsksOptions) {
    this.#options = options;
    this.#statements = statementsOf(options.database);
    // The schema has been read, so SQLite has created all three files and keeps them while the database is open.
    const { name } = options.database;
    this.#files = trackFiles([name, `${name}-wal`, `${name}-shm`]);
  }

  /**
   * Opens an ask. The same source, ref and question return the existing ask while it is open, or answered but not yet
   * noted by its source. A source that lost the reply can so ask again without asking the person twice.
   */
  ask(source: string, question: NotifyArguments<"ask">): AskResult {
    return this.#transaction(() => {
      const before = this.#statements.current.get(source, question.ref);
      if (before) {
        const ask = fromRow(before);
        return isSameQuestion(ask, question) ? { kind: "asked", ask, isNew: false } : { kind: "conflict", ask };
      }
      const why = capacityError(
        { source, group: question.group ?? null },
        this.#statements.openOf.all(),
        this.#options.limits,
      );
      if (why !== undefined) return { kind: "full", why };
      const { source: label, group, ref, title, body, incomplete, expires_at } = question;
      const options = JSON.stringify(question.options);
      const bytes = Buffer.byteLength(title + body + options) + (this.#statements.openBytes.get() ?? 0);
      if (bytes > this.#options.limits.openBytesMax) return { kind: "full", why: "the open asks are too long in all" };
      const id = this.#newId();
      this.#statements.insert.run({
        ask: id,
        source,
        label: label ?? null,
        group: group ?? null,
        ref,
        title,
        body,
        options,
        incomplete: Number(incomplete),
        asked_at: this.#time(),
        expires_at: expires_at === null ? null : new Date(expires_at).toISOString(),
      });
      return { kind: "asked", ask: this.#row(id), isNew: true };
    });
  }

  get(ask: string): NotifyAsk | undefined {
    const row = this.#statements.get.get(ask);
    return row && fromRow(row);
  }

  /** Answers an open ask. The caller must check that the option is offered. An ask past `expires_at` expires instead. */
  answer(ask: string, option: string, who: { readonly via: string | null; readonly by: string | null }): EndResult {
    return this.#transaction(() => {
      const found = this.#row(ask);
      if (found.state !== "open") return { ask: found, changed: false };
      if (found.expires_at !== null && Date.parse(found.expires_at) <= this.#options.now()) {
        return { ask: this.expire(ask).ask, changed: false };
      }
      this.#statements.answer.run({ ask, option, via: who.via, by: who.by, at: this.#time() });
      return { ask: this.#row(ask), changed: true };
    });
  }

  /**
   * Withdraws an open ask. An ask that has ended keeps its state and is marked as noted by its source, except an answer
   * if `noteAnswer` is false. Noting deletes the body, which may contain text that the source redacts from its own log.
   */
  withdraw(ask: string, reason: string, noteAnswer = true): EndResult {
    return this.#transaction(() => {
      const { changes } = this.#statements.withdraw.run({ ask, reason, at: this.#time() });
      if (noteAnswer || this.#row(ask).state !== "answered") this.#statements.note.run(ask);
      return { ask: this.#row(ask), changed: changes === 1 };
    });
  }

  expire(ask: string): EndResult {
    return this.#transaction(() => {
      const { changes } = this.#statements.expire.run({ ask, at: this.#time() });
      return { ask: this.#row(ask), changed: changes === 1 };
    });
  }

  /** Expires asks by the wall clock: their timers may have stood still while the machine slept. */
  expireOverdue(): NotifyAsk[] {
    return this.#statements.overdue.all(this.#time()).map((ask) => this.expire(ask).ask);
  }

  /** Returns the open asks, oldest first, and no more than `openMax` from whatever the file holds. */
  open(): NotifyAsk[] {
    return this.#statements.open.all(this.#options.limits.openMax).map(fromRow);
  }

  /** Lists asks, oldest first, up to `notifyLimits.listBytesMax` bytes of JSON and at least one. */
  list(filter: NotifyArguments<"list">): { asks: NotifyAsk[]; more: boolean } {
    const { state, source, label, noted, after } = filter;
    const asks: NotifyAsk[] = [];
    let bytes = 0;
    const rows = this.#statements.list.iterate({
      state: state ?? null,
      source: source ?? null,
      label: label ?? null,
      noted: noted === undefined ? null : Number(noted),
      after: after ?? null,
    });
    for (const row of rows) {
      const ask = fromRow(row);
      bytes += Buffer.byteLength(JSON.stringify(ask)) + 1;
      if (asks.length > 0 && bytes > notifyLimits.listBytesMax) return { asks, more: true };
      asks.push(ask);
    }
    return { asks, more: false };
  }

  /** Deletes ended asks beyond the limits on age and number, the oldest first, and answers that are not noted last. */
  prune(): void {
    const { endedMax, endedMsMax } = this.#options.limits;
    const before = new Date(this.#options.now() - endedMsMax).toISOString();
    this.#transaction(() => {
      this.#statements.pruneOld.run(before);
      this.#statements.pruneMany.run(endedMax);
    });
  }

  #row(ask: string): NotifyAsk {
    const row = this.#statements.get.get(ask);
    if (!row) throw new Error(`no ask ${ask}`);
    return fromRow(row);
  }

  #newId(): string {
    for (;;) {
      const id = Array.from(randomBytes(8), (byte) => idAlphabet[byte % idAlphabet.length]).join("");
      if (this.#statements.get.get(id) === undefined) return id;
    }
  }

  #time(): string {
    return new Date(this.#options.now()).toISOString();
  }

  /** Closes the database, unless one of its files was replaced: SQLite would delete the new file on close. */
  close(): void {
    if (!this.#files.changed().some(({ now }) => now === "another")) this.#options.database.close();
  }

  #transaction<T>(act: () => T): T {
    const { database } = this.#options;
    if (database.inTransaction) return act();
    const [changed] = this.#files.changed();
    if (changed !== undefined) throw movedError(changed.file);
    return database.transaction(act).immediate();
  }
}

/** SQLite would continue to write to the unlinked files. In other journal modes it reports this with the same code. */
function movedError(file: string): Error {
  return new Database.SqliteError(`${file} was removed or replaced: restart notifyd`, "SQLITE_READONLY_DBMOVED");
}

/** An id has 8 of these letters: 40 bits, short enough to type. */
const idAlphabet = "abcdefghijklmnopqrstuvwxyz234567";

interface AskRow extends Omit<NotifyQuestion, "options" | "incomplete"> {
  readonly options: string;
  readonly incomplete: number;
  readonly state: NotifyState;
  readonly option: string | null;
  readonly via: string | null;
  readonly answered_by: string | null;
  readonly reason: string | null;
  readonly ended_at: string | null;
  readonly noted: number;
}

function statementsOf(database: Database.Database) {
  const end = "UPDATE ask SET ended_at = @at, ";
  return {
    get: database.prepare<[string], AskRow>("SELECT * FROM ask WHERE ask = ?"),
    current: database.prepare<[string, string], AskRow>(
      `SELECT * FROM ask WHERE source = ? AND ref = ? AND (state = 'open' OR (state = 'answered' AND noted = 0))
       ORDER BY state = 'open' DESC, n DESC LIMIT 1`,
    ),
    openOf: database.prepare<[], OpenCount>(
      `SELECT source, "group", count(*) AS open FROM ask WHERE state = 'open' GROUP BY source, "group"`,
    ),
    insert: database.prepare(
      `INSERT INTO ask (ask, source, label, "group", ref, title, body, options, incomplete, asked_at, expires_at)
       VALUES (@ask, @source, @label, @group, @ref, @title, @body, @options, @incomplete, @asked_at, @expires_at)`,
    ),
    answer: database.prepare(
      `${end} state = 'answered', option = @option, via = @via, answered_by = @by WHERE ask = @ask AND state = 'open'`,
    ),
    withdraw: database.prepare(`${end} state = 'withdrawn', reason = @reason WHERE ask = @ask AND state = 'open'`),
    expire: database.prepare(`${end} state = 'expired' WHERE ask = @ask AND state = 'open'`),
    overdue: database
      .prepare<[string], string>("SELECT ask FROM ask WHERE state = 'open' AND expires_at <= ? ORDER BY n")
      .pluck(),
    note: database.prepare<[string]>("UPDATE ask SET noted = 1, body = '' WHERE ask = ? AND state <> 'open'"),
    open: database.prepare<[number], AskRow>("SELECT * FROM ask WHERE state = 'open' ORDER BY n LIMIT ?"),
    openBytes: database
      .prepare<[], number | null>(
        "SELECT sum(octet_length(title) + octet_length(body) + octet_length(options)) FROM ask WHERE state = 'open'",
      )
      .pluck(),
    list: database.prepare<[object], AskRow>(
      `SELECT * FROM ask WHERE (@state IS NULL OR state = @state) AND (@source IS NULL OR source = @source)
         AND (@label IS NULL OR label = @label) AND (@noted IS NULL OR noted = @noted)
         AND n > coalesce((SELECT n FROM ask WHERE ask = @after), 0) ORDER BY n`,
    ),
    pruneOld: database.prepare<[string]>("DELETE FROM ask WHERE state <> 'open' AND ended_at < ?"),
    // Answers that their source has not noted go last, so a program that asks and withdraws in a loop cannot evict them.
    pruneMany: database.prepare<[number]>(
      `DELETE FROM ask WHERE n IN (SELECT n FROM ask WHERE state <> 'open'
         ORDER BY state = 'answered' AND noted = 0 DESC, n DESC LIMIT -1 OFFSET ?)`,
    ),
  };
}

function fromRow(row: AskRow): NotifyAsk {
  const { ask, source, label, group, ref, title, body, asked_at, expires_at } = row;
  const options = JSON.parse(row.options) as NotifyOption[];
  const incomplete = row.incomplete === 1;
  const question = { ask, source, label, group, ref, title, body, options, incomplete, asked_at, expires_at };
  const ended = { ended_at: row.ended_at ?? asked_at, noted: row.noted === 1 };
  switch (row.state) {
    case "open":
      return { ...question, state: "open" };
    case "answered": {
      const answer = { option: row.option ?? "", via: row.via, by: row.answered_by, at: ended.ended_at };
      return { ...question, state: "answered", answer, ...ended };
    }
    case "withdrawn":
      return { ...question, state: "withdrawn", reason: row.reason ?? "", ...ended };
    case "expired":
      return { ...question, state: "expired", ...ended };
  }
}

function isSameQuestion(ask: NotifyAsk, { title, body, options, incomplete, source }: NotifyArguments<"ask">): boolean {
  return (
    ask.title === title &&
    ask.body === body &&
    ask.incomplete === incomplete &&
    ask.label === (source ?? null) &&
    JSON.stringify(ask.options) === JSON.stringify(options)
  );
}
