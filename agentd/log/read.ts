// SPDX-License-Identifier: MIT OR Apache-2.0
// Entries as they stand in the log, in bounded pages. No read transaction outlives a call: one held open would keep
// the write-ahead log from being taken back, and let it grow to many times what is written.
import type Database from "better-sqlite3";
import { callLimits } from "../vocabulary/index.ts";
import { kindMask, kindName } from "./kinds.ts";
import { wrapStoreErrors } from "./log-error.ts";
import { entriesPerSession } from "./session-table.ts";
import { truncatedEntry } from "./truncated-entry.ts";
import { characterCut } from "./utf8-cut.ts";

export interface PageQuery {
  readonly session: string;
  /** A seq, not part of the page. */
  readonly after?: number;
  /** A seq, not part of the page. Without `after`: the last entries before it, in order all the same. */
  readonly before?: number;
  /** 1000; at most 10,000. */
  readonly limit?: number;
  /** Names that are no kind match nothing. */
  readonly kinds?: readonly string[];
  readonly turn?: number;
  /** 4 MiB, and at most that; a page has one entry all the same. */
  readonly bytesMax?: number;
}

export interface Page {
  /** JSON texts in order. In the place of an entry over 1 MiB stands a TruncatedEntry. */
  readonly entries: readonly string[];
  /** The `after` of the next page; absent when nothing is left. A filtered page may be short, and have one. */
  readonly next?: number;
  /** With `before` alone, the `before` of the page before; absent when nothing is left. */
  readonly previous?: number;
  /** Of the session, whatever the page shows; 0 where there is no such session. */
  readonly lastSeq: number;
}

export interface Piece {
  /** Later than asked where that was inside a character. */
  readonly offset: number;
  readonly bytes: number;
  readonly text: string;
  /** Bytes of the whole entry. */
  readonly total: number;
}

/** Throws LogError where the store fails. */
export interface EntryReader {
  page(query: PageQuery): Page;
  /** A piece of an entry's JSON from `offset` on, at most `bytes` (and 1 MiB), but never less than one character. */
  piece(session: string, entry: number, offset: number, bytes: number): Piece | undefined;
  body(session: string, seq: number): string | undefined;
  /** Undefined where there is no such session. */
  lastSeq(session: string): number | undefined;
}

const { entriesPerPageDefault, entriesPerPageMax, pageBytesMax, entryBytesMax, pieceBytesMax } = callLimits;
/** Rows that a page looks at: a filter that matches nothing must not hold up the event loop. */
export const rowsPerPageMax = 20_000;

export function entryReader(db: Database.Database, file: string, log: string): EntryReader {
  const scan = (direction: "ASC" | "DESC") =>
    db.prepare<[ScanParameters], ScannedRow>(`${selectScanned} ORDER BY id ${direction}`).raw();
  const statements: Statements = {
    ascending: scan("ASC"),
    descending: scan("DESC"),
    place: db.prepare("SELECT sid << 30 AS base, last_seq AS lastSeq FROM session WHERE id = ?"),
    body: db.prepare<[number], string>("SELECT body FROM entry WHERE id = ?").pluck(),
    piece: db.prepare(
      "SELECT octet_length(body) AS total, substr(CAST(body AS BLOB), ? + 1, ?) AS bytes FROM entry WHERE id = ?",
    ),
  };
  return {
    page: (query) => wrapStoreErrors(file, () => readPage(statements, log, query)),
    piece: (session, entry, offset, bytes) =>
      wrapStoreErrors(file, () => readPiece(statements, session, entry, offset, bytes)),
    body: (session, seq) =>
      wrapStoreErrors(file, () => {
        const id = entryId(statements, session, seq);
        return id === undefined ? undefined : statements.body.get(id);
      }),
    lastSeq: (session) => wrapStoreErrors(file, () => statements.place.get(session)?.lastSeq),
  };
}

interface Statements {
  readonly ascending: Database.Statement<[ScanParameters], ScannedRow>;
  readonly descending: Database.Statement<[ScanParameters], ScannedRow>;
  readonly place: Database.Statement<[string], Place>;
  readonly body: Database.Statement<[number], string>;
  readonly piece: Database.Statement<[number, number, number], { readonly total: number; readonly bytes: Buffer }>;
}

interface Place {
  readonly base: number;
  readonly lastSeq: number;
}

interface ScanParameters {
  /** Ids. */
  readonly from: number;
  readonly to: number;
  /** A mask of bits; null: every kind. */
  readonly kinds: number | null;
  readonly turn: number | null;
}

type ScannedRow = readonly [id: number, kind: number, bytes: number, body: string | null];

/** The length is known from the row's head: a body that is too big is not even read. */
const selectScanned = `
  SELECT id, kind, octet_length(body), CASE WHEN octet_length(body) <= ${entryBytesMax} THEN body END
  FROM entry
  WHERE id BETWEEN :from AND :to
    AND (:kinds IS NULL OR ((1 << kind) & :kinds) <> 0) AND (:turn IS NULL OR turn = :turn)`;

function readPage(statements: Statements, log: string, query: PageQuery): Page {
  const { base, lastSeq } = statements.place.get(query.session) ?? { base: 0, lastSeq: 0 };
  const first = (query.after ?? 0) + 1;
  const last = Math.min((query.before ?? Infinity) - 1, lastSeq);
  const filter = {
    kinds: query.kinds === undefined ? null : kindMask(query.kinds),
    turn: query.turn ?? null,
  };
  if (query.before !== undefined && query.after === undefined) {
    const from = Math.max(first, last - rowsPerPageMax + 1);
    const rows = statements.descending.iterate({ from: base + from, to: base + last, ...filter });
    const { entries, end } = fill(rows, log, query);
    const reached = end === undefined ? from : end % entriesPerSession;
    return {
      entries: entries.toReversed(),
      ...(last < lastSeq ? { next: Math.max(last, 0) } : {}),
      ...(reached > first ? { previous: reached } : {}),
      lastSeq,
    };
  }
  const to = Math.min(last, first + rowsPerPageMax - 1);
  const rows = statements.ascending.iterate({ from: base + first, to: base + to, ...filter });
  const { entries, end } = fill(rows, log, query);
  const reached = end === undefined ? to : end % entriesPerSession;
  return { entries, ...(reached < last ? { next: reached } : {}), lastSeq };
}

/** Takes rows until the page is full; `end` is then the id of the last one taken, and undefined where all were. */
function fill(rows: Iterable<ScannedRow>, log: string, query: PageQuery): { entries: string[]; end?: number } {
  const limit = Math.min(Math.max(query.limit ?? entriesPerPageDefault, 1), entriesPerPageMax);
  const bytesMax = Math.min(query.bytesMax ?? pageBytesMax, pageBytesMax);
  const entries: string[] = [];
  let bytes = 0;
  let end: number | undefined;
  for (const [id, kind, size, body] of rows) {
    const entry = body ?? truncatedEntry(log, query.session, id % entriesPerSession, kindName(kind), size);
    // One more for the comma.
    bytes += 1 + (body === null ? entry.length : size);
    if (end !== undefined && (entries.length === limit || bytes > bytesMax)) return { entries, end };
    entries.push(entry);
    end = id;
  }
  return { entries };
}

function entryId(statements: Statements, session: string, seq: number): number | undefined {
  const place = statements.place.get(session);
  return place && Number.isSafeInteger(seq) && seq >= 1 && seq <= place.lastSeq ? place.base + seq : undefined;
}

function readPiece(
  statements: Statements,
  session: string,
  seq: number,
  offset: number,
  bytes: number,
): Piece | undefined {
  const id = entryId(statements, session, seq);
  const wanted = Math.min(Math.max(bytes, 1), pieceBytesMax);
  // Some more than wanted, so that where characters begin and end can be seen.
  const found = id === undefined ? undefined : statements.piece.get(offset, wanted + 2 * characterBytesMax, id);
  if (!found) return undefined;
  const { from, to } = characterCut(found.bytes, wanted);
  return { offset: offset + from, bytes: to - from, text: found.bytes.toString("utf8", from, to), total: found.total };
}

const characterBytesMax = 4;
