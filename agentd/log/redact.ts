// SPDX-License-Identifier: MIT OR Apache-2.0
// Removes a secret from the log: from entries, receipts, literals and the sessions' rows. The seal of a redacted entry
// loses its salt, so that nobody can guess what was there, keeps its digest, so that the chain stays intact, and names
// the entry that reports the redaction.
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import type Database from "better-sqlite3";
import type { Accepted, RedactReply } from "../vocabulary/index.ts";
import { wrapStoreErrors } from "./log-error.ts";
import { jsonStrings } from "./json-strings.ts";
import { type ChunkStretch, secretInChunk, type Tail } from "./redact-stream.ts";
import { type Edits, isReplaceable, secretIn, secretInJson, type Stretch, withoutSecret } from "./redact-text.ts";
import { redactionWriter, type RedactionWriter, rowText } from "./redact-write.ts";
import { type Secret, type SecretSearch, secretSearch } from "./secret-search.ts";
import { entriesPerSession, lastSid } from "./session-table.ts";
import { reclaimSpace } from "./space.ts";
import type { Steps } from "./steps.ts";
import { isPathWord, TextStreams } from "./text-streams.ts";

export interface RedactionOptions {
  /** The entry that reports the redaction, already in the log. Without it, matches are only counted. */
  readonly by?: { readonly session: string; readonly seq: number };
  /** Limits the redaction to one session; by default, the whole log. */
  readonly session?: string;
}

export interface RedactionResult extends Omit<RedactReply, keyof Accepted> {
  /** False if a reader kept the write-ahead log from being truncated: it can then still contain the secret. */
  readonly walTruncated: boolean;
}

export type RedactLog = (secret: Secret, options?: RedactionOptions) => Steps<RedactionResult>;

/**
 * Searches what each session has when its turn comes, not what is appended to it later. Each step replaces what it found
 * in one transaction, so an interrupted redaction can simply be repeated. Leaves command ids and numbers as they are.
 * Deletes every copy of an older schema, which this schema's rules cannot redact.
 *
 * Throws LogError if the store fails, and a plain Error if `by` or `session` is not in the log.
 */
export function redactor(db: Database.Database, file: string): RedactLog {
  const writer = redactionWriter(db, file);
  const scans = {
    entries: entryScan(db, file),
    receipts: textScan(db, file, selectReceipt, (work, { sid, name }, text) =>
      work.writer.receipt(sid, name, text, work.byEntry!),
    ),
    literals: textScan(db, file, selectLiteral, (work, { sid }, text) => work.writer.literal(sid, text)),
    rows: textScan(db, file, selectRow, (work, { sid }, text) => work.writer.row(sid, text)),
  };
  return function* (secret, options = {}) {
    const { by, session } = options;
    const byEntry = by && writer.entryId(by.session, by.seq);
    const only = session === undefined ? undefined : writer.sid(session);
    const work: Work = { secret: secretSearch(secret), writer, byEntry, only };
    const entries = yield* scans.entries(work);
    const receipts = yield* scans.receipts(work);
    const literals = yield* scans.literals(work);
    const sessions = yield* scans.rows(work);
    const copies = findCopies(file);
    const dry = byEntry === undefined;
    if (!dry) wrapStoreErrors(file, () => copies.forEach((copy) => rmSync(path.join(path.dirname(file), copy))));
    const walTruncated = dry || (yield* reclaimSpace(db, file));
    return { entries, receipts, literals, sessions, copies, walTruncated };
  };
}

interface Work {
  readonly secret: SecretSearch;
  readonly writer: RedactionWriter;
  /** Undefined: matches are only counted. */
  readonly byEntry: number | undefined;
  /** The sid of the only session to redact. */
  readonly only: number | undefined;
}

/** Includes a copy that was unfinished when its agentd died. */
function findCopies(file: string): string[] {
  const start = `${path.basename(file)}.schema-`;
  const names = wrapStoreErrors(file, () => readdirSync(path.dirname(file)));
  return names.filter((name) => name.startsWith(start) && /^[0-9]+(\.partial)?$/.test(name.slice(start.length))).sort();
}

type Scan = (work: Work) => Steps<number>;

function entryScan(db: Database.Database, file: string): Scan {
  const lastSeq = db.prepare<[number], number>("SELECT last_seq FROM session WHERE sid = ?").pluck();
  const next = db.prepare<[number, number], EntryBody>(
    "SELECT id, body FROM entry WHERE id > ? AND id <= ? ORDER BY id LIMIT 1",
  );
  return function* (work) {
    let count = 0;
    const last = work.only ?? lastSid(db, file);
    for (let sid = work.only ?? 1; sid <= last; sid += 1) {
      const base = sid * entriesPerSession;
      const to = base + (wrapStoreErrors(file, () => lastSeq.get(sid)) ?? 0);
      count += yield* redactEntries(work, (after) => wrapStoreErrors(file, () => next.get(after, to)), base);
      yield;
    }
    return count;
  };
}

interface EntryBody {
  readonly id: number;
  readonly body: string;
}

/** Redacts one session. An entry can be found twice, if a later chunk ends a secret that began in it, but counts once. */
function* redactEntries(
  { secret, writer, byEntry }: Work,
  next: (after: number) => EntryBody | undefined,
  base: number,
): Steps<number> {
  const found = new Set<number>();
  let pending = new Map<number, Map<number, Stretch[]>>();
  const write = () => {
    if (byEntry !== undefined && pending.size > 0) writer.entries(pending, byEntry);
    pending = new Map();
  };
  const streams = new TextStreams<Tail>();
  let entry = next(base);
  for (let looked = 1; entry; looked += 1) {
    for (const { id, place, from, to } of yield* secretInEntry(entry, secret, streams)) {
      found.add(id);
      const places = pending.get(id) ?? new Map<number, Stretch[]>();
      const stretches = places.get(place) ?? [];
      stretches.push({ from, to });
      pending.set(id, places.set(place, stretches));
    }
    if (pending.size >= entriesPerWrite) write();
    if (looked % rowsPerStep === 0) yield;
    entry = next(entry.id);
  }
  write();
  return found.size;
}

const entriesPerWrite = 64;
const rowsPerStep = 256;

function* secretInEntry(
  { id, body }: EntryBody,
  secret: SecretSearch,
  streams: TextStreams<Tail>,
): Steps<ChunkStretch[]> {
  const members = JSON.parse(body) as Readonly<Record<string, unknown>>;
  const found: ChunkStretch[] = [];
  let place = 0;
  streams.enter(members);
  for (const string of jsonStrings(body)) {
    const { value } = string;
    const stream = streams.of(members, string);
    if (stream) found.push(...(yield* secretInChunk(stream, { id, place, value }, secret)));
    else if (isReplaceable(string) && !isPathWord(members, string)) {
      for (const stretch of yield* secretIn(value, secret)) found.push({ id, place, ...stretch });
    }
    place += 1;
  }
  streams.leave(members);
  return found;
}

interface TextRow {
  readonly sid: number;
  readonly name: string;
  /** The sid of the session it belongs to. The receipt of a start is keyed by the instance instead. */
  readonly owner: number;
  readonly text: string | null;
}

/** Scans rows that have one JSON text each. `select` gives the first row after a sid and a name. */
function textScan(
  db: Database.Database,
  file: string,
  select: string,
  write: (work: Work, row: TextRow, text: string) => void,
): Scan {
  const statement = db.prepare<[number, string], TextRow>(select);
  const next = (sid: number, name: string) => wrapStoreErrors(file, () => statement.get(sid, name));
  return function* (work) {
    let count = 0;
    let looked = 0;
    for (let row = next(0, ""), before = { sid: 0, name: "" }; row;) {
      const { sid, name, owner, text } = row;
      const edits = text === null || (work.only ?? owner) !== owner ? noEdits : yield* secretInJson(text, work.secret);
      // The row may have changed while it was searched.
      const now = edits.size === 0 ? row : next(before.sid, before.name);
      if (now?.text === text && now.sid === sid && now.name === name) {
        if (edits.size > 0) count += 1;
        if (edits.size > 0 && work.byEntry !== undefined) write(work, row, withoutSecret(text ?? "", edits));
        before = { sid, name };
        row = next(sid, name);
      } else row = now;
      looked += 1;
      if (looked % rowsPerStep === 0) yield;
    }
    return count;
  };
}

const noEdits: Edits = new Map();

const selectReceipt = `
  SELECT sid, command_id AS name, entry >> 30 AS owner, body AS text FROM receipt
  WHERE (sid, command_id) > (?, ?) ORDER BY sid, command_id LIMIT 1`;
const selectLiteral = `
  SELECT sid, '' AS name, sid AS owner, servers AS text FROM literal
  WHERE sid > ? AND ? = '' ORDER BY sid LIMIT 1`;
const selectRow = `
  SELECT sid, '' AS name, sid AS owner, ${rowText} AS text FROM session WHERE sid > ? AND ? = '' ORDER BY sid LIMIT 1`;
