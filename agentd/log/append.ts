// SPDX-License-Identifier: MIT OR Apache-2.0
// The one way into the log. Everything that one flush decided goes in as one durable transaction: entries, seals,
// receipts and the sessions' rows together, or nothing of it.
import type Database from "better-sqlite3";
import { stringifyJson } from "../../json/raw-json.ts";
import type { EntryContent } from "../vocabulary/index.ts";
import { type EntryText, entryTextWriter } from "./entry-text.ts";
import { kindNumbers } from "./kinds.ts";
import type { LogFiles } from "./log-files.ts";
import { wrapStoreErrors } from "./log-error.ts";
import { newRow, project, type SessionRow } from "./project.ts";
import { serializedContentOf } from "./serialized-content.ts";
import { type NewReceipt, type NewAnswer, type ReceiptWriter, receiptWriter } from "./receipts.ts";
import { type OpenSeal, sealWriter, type SealWriter } from "./seals.ts";
import { entriesPerSession, sessionTable, type SessionTable } from "./session-table.ts";

export interface Commit {
  /** Made by its first commit, which expects 0. */
  readonly session: string;
  /** The last seq that the caller believes in. Of several commits of one session, each expects the one before. */
  readonly expectSeq: number;
  /** May be empty, where only receipts are answered. */
  readonly entries: readonly EntryContent[];
  readonly receipts?: readonly NewReceipt[];
  readonly answers?: readonly NewAnswer[];
  /** JSON of secret values that a start gave as literals: kept beside the log, in the place of earlier ones. */
  readonly literals?: string;
}

export interface Appended {
  readonly session: string;
  readonly seqFrom: number;
  /** One less than `seqFrom` where the commit had no entries. */
  readonly seq: number;
  /** The entries' JSON as it stands in the log, and as it is to be published. */
  readonly bodies: readonly EntryText[];
  readonly at: string;
}

export interface AppendOptions {
  readonly db: Database.Database;
  readonly file: string;
  readonly log: string;
  readonly clock: { now(): number };
  readonly random: (bytes: number) => Uint8Array;
  readonly files: LogFiles;
  /** When everything is written and nothing is committed: for tests of a death at that moment. */
  readonly beforeCommit?: () => void;
}

/**
 * Commits in one transaction, on disk when it returns; the result with the same index belongs to a commit. Throws
 * LogError where the store fails, and then nothing was written. Any other error is a promise that our own code broke:
 * a seq that is not the session's last, an id taken twice.
 */
export type Append = (commits: readonly Commit[]) => readonly Appended[];

export function appender(options: AppendOptions): Append {
  const { db, file, clock, files } = options;
  const tables = writersOf(options);
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
        // A full disk or a failed write has rolled back by itself.
        if (db.inTransaction) rollback.run();
        throw error;
      }
    });
}

interface Writers {
  readonly log: string;
  readonly text: ReturnType<typeof entryTextWriter>;
  readonly entry: Database.Statement<[number, number, number | null, string | Buffer]>;
  readonly literal: Database.Statement<[number, string]>;
  readonly sessions: SessionTable;
  readonly seals: SealWriter;
  readonly receipts: ReceiptWriter;
}

function writersOf({ db, log, random }: AppendOptions): Writers {
  const sessions = sessionTable(db);
  return {
    log,
    text: entryTextWriter(),
    // The cast makes bytes that are UTF-8 already a text, as they are; a text stays what it is.
    entry: db.prepare("INSERT INTO entry (id, kind, turn, body) VALUES (?, ?, ?, CAST(? AS TEXT))"),
    literal: db.prepare(
      "INSERT INTO literal (sid, servers) VALUES (?, ?) ON CONFLICT (sid) DO UPDATE SET servers = excluded.servers",
    ),
    sessions,
    seals: sealWriter(db, random),
    receipts: receiptWriter(db, (session) => sessions.sid(session)),
  };
}

/** What one transaction does to one session. */
interface Lane {
  readonly base: number;
  readonly before: SessionRow;
  row: SessionRow;
  readonly sid: number;
  /** Of the entries that it writes; none where it writes none. */
  seal: OpenSeal | undefined;
}

function writeAll(writers: Writers, at: string, commits: readonly Commit[]): Appended[] {
  const lanes = new Map<string, Lane>();
  const appended = commits.map((commit) => {
    const lane = lanes.get(commit.session) ?? openLane(writers, at, commit.session);
    lanes.set(commit.session, lane);
    return writeCommit(writers, at, lane, commit);
  });
  for (const { sid, base, before, row, seal } of lanes.values()) {
    seal?.close(base + row.last_seq);
    writers.sessions.update(sid, before, row);
  }
  return appended;
}

function openLane({ sessions }: Writers, at: string, session: string): Lane {
  const stored = sessions.read(session);
  const row = stored?.row ?? newRow(session, at);
  const sid = stored?.sid ?? sessions.insert(row);
  return { sid, base: sid * entriesPerSession, before: row, row, seal: undefined };
}

function writeCommit(writers: Writers, at: string, lane: Lane, commit: Commit): Appended {
  const { session, expectSeq, entries, receipts = [], answers = [], literals } = commit;
  const { base, row } = lane;
  if (expectSeq !== row.last_seq) {
    throw new Error(`session ${session} is at seq ${row.last_seq} in the log, and a commit expects ${expectSeq}`);
  }
  const bodies = writeEntries(writers, at, lane, commit);
  lane.row = project(row, at, entries);
  for (const receipt of receipts) writers.receipts.take(receipt, base, expectSeq, lane.row.last_seq);
  for (const answer of answers) writers.receipts.answer(answer);
  if (literals !== undefined) writers.literal.run(lane.sid, literals);
  return { session, seqFrom: expectSeq + 1, seq: lane.row.last_seq, bodies, at };
}

/** Each entry becomes text here and nowhere else; file and digest take the same bytes. */
function writeEntries(writers: Writers, at: string, lane: Lane, { session, expectSeq, entries }: Commit): EntryText[] {
  if (entries.length === 0) return [];
  const head = `{"log":${JSON.stringify(writers.log)},"session":${JSON.stringify(session)},"seq":`;
  const stamp = `,"at":"${at}"`;
  const { sid, base } = lane;
  lane.seal ??= writers.seals.open(sid, base + expectSeq + 1);
  const bodies: EntryText[] = [];
  let seq = expectSeq;
  for (const entry of entries) {
    seq += 1;
    const { text, whole } = writers.text(entryParts(`${head}${seq}${stamp}`, entry));
    writers.entry.run(base + seq, kindNumbers[entry.kind], entry.turn ?? null, whole);
    lane.seal.add(whole);
    bodies.push(text);
  }
  return bodies;
}

/**
 * The head first, whatever order an entry's members have, and then as stringifyJson writes them, but that a `content`
 * whose text is ready comes last.
 */
function entryParts(head: string, entry: EntryContent): (string | Buffer)[] {
  const { kind, turn, late } = entry;
  let members = turn === undefined ? "" : `,"turn":${turn}`;
  if (late) members += ',"late":true';
  members += `,"kind":"${kind}"`;
  const ready = readyPart(entry as { readonly content?: unknown });
  for (const name in entry) {
    if (name === "kind" || name === "turn" || name === "late" || (name === "content" && ready !== undefined)) continue;
    const value = stringifyJson((entry as unknown as Readonly<Record<string, unknown>>)[name]) as string | undefined;
    if (value !== undefined) members += `,${JSON.stringify(name)}:${value}`;
  }
  return ready === undefined ? [`${head}${members}}`] : [`${head}${members},"content":`, ready, "}"];
}

function readyPart(entry: { readonly content?: unknown }): string | Buffer | undefined {
  const ready = serializedContentOf(entry);
  return ready === undefined || typeof ready === "string" || Buffer.isBuffer(ready)
    ? ready
    : Buffer.from(ready.buffer, ready.byteOffset, ready.byteLength);
}
