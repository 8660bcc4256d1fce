// SPDX-License-Identifier: MIT OR Apache-2.0
// The only way to write entries. One batch is one durable transaction: its entries, seals and receipts, and the
// sessions' rows, are written together or not at all.
import type Database from "better-sqlite3";
import { stringifyJson } from "../../json/raw-json.ts";
import type { EntryContent } from "../vocabulary/index.ts";
import { kindNumbers } from "./kinds.ts";
import type { LogFiles } from "./log-files.ts";
import { wrapStoreErrors } from "./log-error.ts";
import { newRow, project, type SessionRow } from "./project.ts";
import { type NewReceipt, type NewAnswer, receiptWriter } from "./receipts.ts";
import { type OpenSeal, sealWriter } from "./seals.ts";
import { entriesPerSession, sessionTable } from "./session-table.ts";

export interface Commit {
  /** The session is created by its first commit, which expects seq 0. */
  readonly session: string;
  /** The session's last seq before this commit, also among several commits of one session in one batch. */
  readonly expectSeq: number;
  /** May be empty if the commit only answers receipts. */
  readonly entries: readonly EntryContent[];
  readonly receipts?: readonly NewReceipt[];
  readonly answers?: readonly NewAnswer[];
  /** JSON of the MCP servers of a start, with their secret values. It replaces the session's earlier ones. */
  readonly literals?: string;
}

export interface Appended {
  readonly session: string;
  readonly seqFrom: number;
  /** Seq of the last entry; one less than `seqFrom` if the commit had no entries. */
  readonly seq: number;
  /** The entries' JSON in UTF-8, as it is in the log and is to be published. */
  readonly bodies: readonly Buffer[];
  readonly at: string;
}

export interface AppendOptions {
  readonly db: Database.Database;
  readonly file: string;
  readonly log: string;
  readonly clock: { now(): number };
  readonly random: (bytes: number) => Uint8Array;
  readonly files: LogFiles;
  /** For tests of a death between writing and committing. */
  readonly beforeCommit?: () => void;
}

/**
 * Writes the commits in one transaction, which is on disk on return, and returns one result per commit. Throws LogError
 * if the store fails; then nothing was written. Any other error is a bug of the caller: a wrong seq, an id taken twice.
 */
export type Append = (commits: readonly Commit[]) => readonly Appended[];

export function appender(options: AppendOptions): Append {
  const { db, file, clock, files } = options;
  const tables = prepareWriters(options);
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const rollback = db.prepare("ROLLBACK");
  return (commits) =>
    wrapStoreErrors(file, () => {
      const at = new Date(clock.now()).toISOString();
      const gone = files.gone();
      if (gone) throw gone;
      begin.run();
      try {
        const appended = writeAll(tables, at, commits);
        options.beforeCommit?.();
        commit.run();
        return appended;
      } catch (error) {
        // SQLite rolls back by itself when the disk is full or a write fails.
        if (db.inTransaction) rollback.run();
        throw error;
      }
    });
}

type Writers = ReturnType<typeof prepareWriters>;

function prepareWriters({ db, log, random }: AppendOptions) {
  const sessions = sessionTable(db);
  return {
    log,
    // The cast stores UTF-8 as text.
    entry: db.prepare<[number, number, number | null, Buffer]>(
      "INSERT INTO entry (id, kind, turn, body) VALUES (?, ?, ?, CAST(? AS TEXT))",
    ),
    literal: db.prepare<[number, string]>(
      "INSERT INTO literal (sid, servers) VALUES (?, ?) ON CONFLICT (sid) DO UPDATE SET servers = excluded.servers",
    ),
    sessions,
    seals: sealWriter(db, random),
    receipts: receiptWriter(db, (session) => sessions.sid(session)),
  };
}

/** What one transaction writes to one session. */
interface SessionWrite {
  readonly base: number;
  readonly before: SessionRow;
  row: SessionRow;
  readonly sid: number;
  /** Undefined until the first entry is written. */
  seal: OpenSeal | undefined;
}

function writeAll(writers: Writers, at: string, commits: readonly Commit[]): Appended[] {
  const writes = new Map<string, SessionWrite>();
  const appended = commits.map((commit) => {
    const write = writes.get(commit.session) ?? openSession(writers, at, commit.session);
    writes.set(commit.session, write);
    return writeCommit(writers, at, write, commit);
  });
  for (const { sid, base, before, row, seal } of writes.values()) {
    seal?.close(base + row.last_seq);
    writers.sessions.update(sid, before, row);
  }
  return appended;
}

function openSession({ sessions }: Writers, at: string, session: string): SessionWrite {
  const stored = sessions.read(session);
  const row = stored?.row ?? newRow(session, at);
  const sid = stored?.sid ?? sessions.insert(row);
  return { sid, base: sid * entriesPerSession, before: row, row, seal: undefined };
}

function writeCommit(writers: Writers, at: string, write: SessionWrite, commit: Commit): Appended {
  const { session, expectSeq, entries, receipts = [], answers = [], literals } = commit;
  const { base, row } = write;
  if (expectSeq !== row.last_seq) {
    throw new Error(`session ${session} is at seq ${row.last_seq} in the log, and a commit expects ${expectSeq}`);
  }
  const bodies = writeEntries(writers, at, write, commit);
  write.row = project(row, at, entries);
  for (const receipt of receipts) writers.receipts.take(receipt, base, expectSeq, write.row.last_seq);
  for (const answer of answers) writers.receipts.answer(answer);
  if (literals !== undefined) writers.literal.run(write.sid, literals);
  return { session, seqFrom: expectSeq + 1, seq: write.row.last_seq, bodies, at };
}

/** Serializes the entries. The file, the seal's digest and the Bus get the same bytes. */
function writeEntries(
  writers: Writers,
  at: string,
  write: SessionWrite,
  { session, expectSeq, entries }: Commit,
): Buffer[] {
  if (entries.length === 0) return [];
  const head = `{"log":${JSON.stringify(writers.log)},"session":${JSON.stringify(session)},"seq":`;
  const stamp = `,"at":"${at}"`;
  const { sid, base } = write;
  write.seal ??= writers.seals.open(sid, base + expectSeq + 1);
  const bodies: Buffer[] = [];
  let seq = expectSeq;
  for (const entry of entries) {
    seq += 1;
    const body = Buffer.from(serializeEntry(`${head}${seq}${stamp}`, entry));
    writers.entry.run(base + seq, kindNumbers[entry.kind], entry.turn ?? null, body);
    write.seal.add(body);
    bodies.push(body);
  }
  return bodies;
}

/** Writes the head first, then the members in their order. */
function serializeEntry(head: string, entry: EntryContent): string {
  const { kind, turn, late } = entry;
  let members = turn === undefined ? "" : `,"turn":${turn}`;
  if (late) members += ',"late":true';
  members += `,"kind":"${kind}"`;
  for (const name in entry) {
    if (name === "kind" || name === "turn" || name === "late") continue;
    const value = stringifyJson((entry as unknown as Readonly<Record<string, unknown>>)[name]) as string | undefined;
    if (value !== undefined) members += `,${JSON.stringify(name)}:${value}`;
  }
  return `${head}${members}}`;
}
