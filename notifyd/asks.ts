// SPDX-License-Identifier: MIT OR Apache-2.0
// The asks, from their question to their one end. Every change is one transaction, and an ask ends once: the first valid
// answer wins, whoever else is about to answer, withdraw or let it expire.
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
import { type OpenOf, whyNoRoom } from "./room.ts";

export interface AsksOptions {
  readonly database: Database.Database;
  readonly limits: Limits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

export type Asked =
  | { readonly kind: "asked"; readonly ask: NotifyAsk; readonly isNew: boolean }
  /** Something else is asked under this ref. */
  | { readonly kind: "conflict"; readonly ask: NotifyAsk }
  | { readonly kind: "full"; readonly why: string };

/** `changed`: by this call. What had ended before is told as it is. */
export interface Ending {
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
    // Something has been read by now, so SQLite has made all three, and keeps them while the database is open.
    const { name } = options.database;
    this.#files = trackFiles([name, `${name}-wal`, `${name}-shm`]);
  }

  /**
   * The same source and ref again, with the same question, are the same ask while it is open, and also when it was
   * answered and its source has not taken note: who asks again because a reply was lost gets the answer, and nobody is
   * asked twice.
   */
  ask(source: string, question: NotifyArguments<"ask">): Asked {
    return this.#transaction(() => {
      const before = this.#statements.standing.get(source, question.ref);
      if (before) {
        const ask = fromRow(before);
        return sameQuestion(ask, question) ? { kind: "asked", ask, isNew: false } : { kind: "conflict", ask };
      }
      const why = whyNoRoom(
        { source, group: question.group ?? null },
        this.#statements.openOf.all(),
        this.#options.limits,
      );
      if (why !== undefined) return { kind: "full", why };
      const { source: label, group, ref, title, body, options, incomplete, expires_at } = question;
      const id = this.#newId();
      this.#statements.insert.run({
        ask: id,
        source,
        label: label ?? null,
        group: group ?? null,
        ref,
        title,
        body,
        options: JSON.stringify(options),
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

  /** The option must be one of its own. An ask whose time is over is expired by this, and not answered. */
  answer(ask: string, option: string, who: { readonly via: string | null; readonly by: string | null }): Ending {
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
   * What a person has answered stays answered; that its source knows is noted, for every end, but for an answer that it
   * does not know yet. What was asked in detail is let go then: it may hold what its source takes out of its own log.
   */
  withdraw(ask: string, reason: string, noteAnswer = true): Ending {
    return this.#transaction(() => {
      const { changes } = this.#statements.withdraw.run({ ask, reason, at: this.#time() });
      if (noteAnswer || this.#row(ask).state !== "answered") this.#statements.note.run(ask);
      return { ask: this.#row(ask), changed: changes === 1 };
    });
  }

  expire(ask: string): Ending {
    return this.#transaction(() => {
      const { changes } = this.#statements.expire.run({ ask, at: this.#time() });
      return { ask: this.#row(ask), changed: changes === 1 };
    });
  }

  /** Expires what the clock says is over: its timer may have stood still while the machine slept. */
  expireOverdue(): NotifyAsk[] {
    return this.#statements.overdue.all(this.#time()).map((ask) => this.expire(ask).ask);
  }

  open(): NotifyAsk[] {
    return this.#statements.open.all().map(fromRow);
  }

  /** Oldest first, as many as the bytes allow. */
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

  /** Lets ended asks go, the oldest first; beyond the number that is kept, answers that are not noted last of all. */
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
      const id = Array.from(this.#options.random(8), (byte) => letters[byte % letters.length]).join("");
      if (this.#statements.get.get(id) === undefined) return id;
    }
  }

  #time(): string {
    return new Date(this.#options.now()).toISOString();
  }

  /** Closes the database, unless its names are other files' by now: SQLite would remove one of those. */
  close(): void {
    if (!this.#files.changed().some(({ now }) => now === "another")) this.#options.database.close();
  }

  #transaction<T>(act: () => T): T {
    const { database } = this.#options;
    if (database.inTransaction) return act();
    const [changed] = this.#files.changed();
    if (changed !== undefined) throw gone(changed.file);
    return database.transaction(act).immediate();
  }
}

/** SQLite would go on writing into files without a name. This is the code that it has for it in other modes. */
function gone(file: string): Error {
  return new Database.SqliteError(`${file} was removed or replaced: restart notifyd`, "SQLITE_READONLY_DBMOVED");
}

/** 8 of them can be typed, and are 40 bits. */
const letters = "abcdefghijklmnopqrstuvwxyz234567";

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
    standing: database.prepare<[string, string], AskRow>(
      `SELECT * FROM ask WHERE source = ? AND ref = ? AND (state = 'open' OR (state = 'answered' AND noted = 0))
       ORDER BY state = 'open' DESC, n DESC LIMIT 1`,
    ),
    openOf: database.prepare<[], OpenOf>(
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
    open: database.prepare<[], AskRow>("SELECT * FROM ask WHERE state = 'open' ORDER BY n"),
    list: database.prepare<[object], AskRow>(
      `SELECT * FROM ask WHERE (@state IS NULL OR state = @state) AND (@source IS NULL OR source = @source)
         AND (@label IS NULL OR label = @label) AND (@noted IS NULL OR noted = @noted)
         AND n > coalesce((SELECT n FROM ask WHERE ask = @after), 0) ORDER BY n`,
    ),
    pruneOld: database.prepare<[string]>("DELETE FROM ask WHERE state <> 'open' AND ended_at < ?"),
    // An answer that its source does not know yet goes last: whoever asks and withdraws without end cannot wash it away.
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

function sameQuestion(ask: NotifyAsk, { title, body, options, incomplete, source }: NotifyArguments<"ask">): boolean {
  return (
    ask.title === title &&
    ask.body === body &&
    ask.incomplete === incomplete &&
    ask.label === (source ?? null) &&
    JSON.stringify(ask.options) === JSON.stringify(options)
  );
}
