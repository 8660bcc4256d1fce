// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads entries in bounded pages. No read transaction outlives a call: an open one would prevent checkpoints, and let the
// write-ahead log grow without limit.
import type Database from "better-sqlite3";
import { callLimits, type Entry, type EntryKind, isTruncated, type TruncatedEntry } from "../vocabulary/index.ts";
import { kindMask, kindName } from "./kinds.ts";
import { wrapStoreErrors } from "./log-error.ts";
import { entriesPerSession } from "./session-table.ts";
import { characterCut } from "./utf8-cut.ts";

export interface PageQuery {
  readonly session: string;
  /** An exclusive seq. */
  readonly after?: number;
  /** An exclusive seq. Without `after`, the page has the last entries before it, in ascending order. */
  readonly before?: number;
  /** Default 1000, at most 10,000. */
  readonly limit?: number;
  /** Unknown kinds match nothing. */
  readonly kinds?: readonly string[];
  readonly turn?: number;
  /** Default and maximum 4 MiB. A page has at least one entry, even if that is larger. */
  readonly bytesMax?: number;
}

export interface Page {
  /** JSON texts in order. A TruncatedEntry stands for an entry of over 1 MiB. */
  readonly entries: readonly string[];
  /** The `after` of the next page; absent if nothing is left. A filtered page may be short and still have it. */
  readonly next?: number;
  /** With `before` and no `after`: the `before` of the previous page; absent if nothing is left. */
  readonly previous?: number;
  /** The session's last seq, whatever the page shows; 0 if there is no such session. */
  readonly lastSeq: number;
}

export interface Piece {
  /** Later than requested if that was inside a character. */
  readonly offset: number;
  readonly bytes: number;
  readonly text: string;
  /** Bytes of the whole entry. */
  readonly total: number;
}

const { entriesPerPageDefault, entriesPerPageMax, pageBytesMax, entryBytesMax, pieceBytesMax } = callLimits;
/** How many rows a page may scan, so that a filter without matches does not block the event loop. */
export const rowsPerPageMax = 20_000;

export type EntryReader = ReturnType<typeof entryReader>;

/** Each call throws LogError if the store fails. */
export function entryReader(db: Database.Database, file: string, log: string) {
  const statements = prepareStatements(db);
  return {
    page: (query: PageQuery) => wrapStoreErrors(file, () => readPage(statements, log, query)),
    /** Reads an entry's JSON from the byte `offset` on: at most `bytes` and 1 MiB, but at least one character. */
    piece: (session: string, entry: number, offset: number, bytes: number) =>
      wrapStoreErrors(file, () => readPiece(statements, session, entry, offset, bytes)),
    body: (session: string, seq: number) =>
      wrapStoreErrors(file, () => {
        const id = entryId(statements, session, seq);
        return id === undefined ? undefined : statements.body.get(id);
      }),
    /** Returns undefined if there is no such session. */
    lastSeq: (session: string) => wrapStoreErrors(file, () => statements.place.get(session)?.lastSeq),
  };
}

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(db: Database.Database) {
  const scan = (direction: "ASC" | "DESC") =>
    db.prepare<[ScanParameters], ScannedRow>(`${selectScanned} ORDER BY id ${direction}`).raw();
  return {
    ascending: scan("ASC"),
    descending: scan("DESC"),
    place: db.prepare<[string], Place>("SELECT sid << 30 AS base, last_seq AS lastSeq FROM session WHERE id = ?"),
    body: db.prepare<[number], string>("SELECT body FROM entry WHERE id = ?").pluck(),
    piece: db.prepare<[number, number, number], { readonly total: number; readonly bytes: Buffer }>(
      "SELECT octet_length(body) AS total, substr(CAST(body AS BLOB), ? + 1, ?) AS bytes FROM entry WHERE id = ?",
    ),
  };
}

interface Place {
  readonly base: number;
  readonly lastSeq: number;
}

interface ScanParameters {
  /** Inclusive range of entry ids. */
  readonly from: number;
  readonly to: number;
  /** A bit mask; null: every kind. */
  readonly kinds: number | null;
  readonly turn: number | null;
}

type ScannedRow = readonly [id: number, kind: number, bytes: number, body: string | null];

/** SQLite knows the length from the row's header, so a body that is too large is not read. */
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

/** Takes rows until the page is full. `end` is then the id of the last one taken; undefined if all rows were taken. */
function fill(rows: Iterable<ScannedRow>, log: string, query: PageQuery): { entries: string[]; end?: number } {
  const limit = Math.min(Math.max(query.limit ?? entriesPerPageDefault, 1), entriesPerPageMax);
  const bytesMax = Math.min(query.bytesMax ?? pageBytesMax, pageBytesMax);
  const entries: string[] = [];
  let bytes = 0;
  let end: number | undefined;
  for (const [id, kind, size, body] of rows) {
    const entry = body ?? truncatedEntry(log, query.session, id % entriesPerSession, kindName(kind), size);
    // Plus one for the comma.
    bytes += 1 + (body === null ? entry.length : size);
    if (end !== undefined && (entries.length === limit || bytes > bytesMax)) return { entries, end };
    entries.push(entry);
    end = id;
  }
  return { entries };
}

/** Yields pages until nothing is left: backwards for a query with `before` and no `after`. Each is read when it is wanted. */
export function* readPages(entries: Pick<EntryReader, "page">, query: PageQuery): Generator<Page, void, undefined> {
  const isBackward = query.before !== undefined && query.after === undefined;
  for (let from: Pick<PageQuery, "after" | "before"> | undefined = {}; from !== undefined;) {
    const page = entries.page({ ...query, ...from });
    yield page;
    if (isBackward) from = page.previous === undefined ? undefined : { before: page.previous };
    else from = page.next === undefined ? undefined : { after: page.next };
  }
}

/** Parses an entry of a page. Reads it whole if the page has a TruncatedEntry; undefined if it was deleted since. */
export function parseWhole(entries: Pick<EntryReader, "body">, session: string, text: string): Entry | undefined {
  const entry = JSON.parse(text) as Entry | TruncatedEntry;
  if (!isTruncated(entry)) return entry;
  const body = entries.body(session, entry.seq);
  return body === undefined ? undefined : (JSON.parse(body) as Entry);
}

/** Stands in a page or publication for an entry that is too large. It can be read in pieces. */
export function truncatedEntry(log: string, session: string, seq: number, kind: EntryKind, bytes: number): string {
  const entry: TruncatedEntry = { log, session, seq, kind, truncated: true, bytes };
  return JSON.stringify(entry);
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
  // Reads a few more bytes, to see where characters begin and end.
  const found = id === undefined ? undefined : statements.piece.get(offset, wanted + 2 * characterBytesMax, id);
  if (!found) return undefined;
  const { from, to } = characterCut(found.bytes, wanted);
  return { offset: offset + from, bytes: to - from, text: found.bytes.toString("utf8", from, to), total: found.total };
}

const characterBytesMax = 4;
