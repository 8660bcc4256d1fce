// SPDX-License-Identifier: MIT OR Apache-2.0
// One session of the log, entry for entry: no gap, the texts that were sealed, and the row that they come to.
import type { Hash } from "node:crypto";
import type Database from "better-sqlite3";
import { type Entry, instanceSession } from "../vocabulary/index.ts";
import { kindNumbers } from "./kinds.ts";
import { wrapStoreErrors } from "./log-error.ts";
import { newRow, project, type SessionRow } from "./project.ts";
import { isHalfPurged } from "./purge.ts";
import { canonicalJson } from "./receipts.ts";
import { chainStart, startDigest } from "./seals.ts";
import { columns, entriesPerSession, rowOf, type SessionColumns } from "./session-table.ts";
import type { Steps } from "./steps.ts";

export interface CheckedSession {
  readonly instance: boolean;
  readonly entries: number;
  /** Commits that a redaction touched. */
  readonly redacted: number;
}

/** Sessions are numbered without a gap: one that is not there is a problem too. */
export type SessionChecker = (sid: number, report: (problem: string) => void) => Steps<CheckedSession | undefined>;

export function sessionChecker(db: Database.Database, file: string, log: string): SessionChecker {
  const statements = prepared(db);
  return function* (sid, report) {
    const stored = wrapStoreErrors(file, () => statements.row.get(sid));
    if (!stored) {
      report(`there is no session number ${sid}, and a session is never removed`);
      return undefined;
    }
    const say = (problem: string) => report(`session ${stored.id}: ${problem}`);
    const purged = wrapStoreErrors(file, () => checkTombstones(statements, sid, say));
    const base = sid * entriesPerSession;
    let row = rowBefore(rowOf(stored), purged.seq);
    const chain = sealChain(statements, base, purged.chain, say);
    let entries = 0;
    for (;;) {
      const page = wrapStoreErrors(file, () => readSome(statements, base + row.last_seq, base + entriesPerSession));
      // In one step with the read that found no more: nothing can have been appended in between.
      if (page.length === 0) {
        wrapStoreErrors(file, () => checkEnd(statements, sid, row, chain, say));
        return { instance: stored.id === instanceSession, entries, redacted: chain.redacted() };
      }
      for (const read of page) {
        const next = checkEntry(log, row, base, read, say);
        if (!next) return { instance: stored.id === instanceSession, entries, redacted: chain.redacted() };
        wrapStoreErrors(file, () => chain.next(read));
        row = next;
        entries += 1;
      }
      yield;
    }
  };
}

interface ReadEntry {
  readonly id: number;
  readonly kind: number;
  readonly turn: number | null;
  readonly body: string;
}

interface Seal {
  readonly first: number;
  readonly last: number;
  readonly salt: Buffer | null;
  readonly digest: Buffer;
  readonly redacted_by: number | null;
}

interface Tombstone {
  readonly last_seq: number;
  readonly entries: number;
  readonly chain: Buffer;
}

type Statements = ReturnType<typeof prepared>;

function prepared(db: Database.Database) {
  return {
    row: db.prepare<[number], SessionColumns>(`SELECT ${columns} FROM session WHERE sid = ?`),
    tombstones: db.prepare<[number], Tombstone>(
      "SELECT last_seq, entries, chain FROM tombstone WHERE sid = ? ORDER BY last_seq",
    ),
    halfPurged: db.prepare<[number], number>(`SELECT ${isHalfPurged} FROM session WHERE sid = ?`).pluck(),
    some: db.prepare<[number, number], ReadEntry>(
      `SELECT id, kind, turn, body FROM entry WHERE id > ? AND id < ? ORDER BY id LIMIT ${rowsPerStep}`,
    ),
    firstEntry: db.prepare<[number, number], number>("SELECT min(id) FROM entry WHERE id > ? AND id <= ?").pluck(),
    seal: db.prepare<[number], Seal>("SELECT first, last, salt, digest, redacted_by FROM seal WHERE first = ?"),
    sealAfter: db
      .prepare<[number, number], number>("SELECT min(first) FROM seal WHERE first > ? AND first < ?")
      .pluck(),
    told: db
      .prepare<[number, number, number], number>(
        "SELECT EXISTS (SELECT 1 FROM entry WHERE id = ?) OR EXISTS (SELECT 1 FROM tombstone WHERE sid = ? AND last_seq >= ?)",
      )
      .pluck(),
  };
}

const rowsPerStep = 256;
const bytesPerStep = 1024 * 1024;

/** The last that was purged, and the digest that the chain goes on from. */
function checkTombstones(
  statements: Statements,
  sid: number,
  say: (problem: string) => void,
): { seq: number; chain: Uint8Array } {
  let seq = 0;
  let chain = chainStart;
  for (const tombstone of statements.tombstones.all(sid)) {
    if (tombstone.entries !== tombstone.last_seq - seq) {
      say(`its tombstone at ${tombstone.last_seq} counts ${tombstone.entries} entries after ${seq}`);
    }
    ({ last_seq: seq, chain } = tombstone);
  }
  const base = sid * entriesPerSession;
  const left = statements.firstEntry.get(base, base + seq);
  if (typeof left === "number" && statements.halfPurged.get(sid) === 0) {
    say(`entry ${left - base} is left before its tombstone at ${seq}`);
  }
  return { seq, chain };
}

/**
 * What the entries after a purge are folded on: the row as it is now, since folding what it holds on it again changes
 * nothing; but without what the purge took out of it, and with nothing open but what was open then.
 */
function rowBefore(row: SessionRow, purged: number): SessionRow {
  if (purged === 0) return newRow(row.session, row.created_at);
  const commands = row.open.commands.filter(({ seq }) => seq <= purged);
  const { latest, open } = newRow(row.session, row.created_at);
  return { ...row, last_seq: purged, agent_session_id: null, latest, open: { ...open, commands } };
}

function readSome({ some }: Statements, after: number, before: number): ReadEntry[] {
  const read: ReadEntry[] = [];
  let bytes = 0;
  for (const entry of some.iterate(after, before)) {
    read.push(entry);
    bytes += entry.body.length;
    if (bytes > bytesPerStep) break;
  }
  return read;
}

/** The row with the entry; undefined where the entries cannot be followed any further. */
function checkEntry(
  log: string,
  row: SessionRow,
  base: number,
  { id, kind, turn, body }: ReadEntry,
  say: (problem: string) => void,
): SessionRow | undefined {
  const seq = row.last_seq + 1;
  if (id !== base + seq) {
    say(seq + 1 === id - base ? `entry ${seq} is missing` : `entries ${seq} to ${id - base - 1} are missing`);
    return undefined;
  }
  try {
    const entry = JSON.parse(body) as Entry;
    if (entry.log !== log || entry.session !== row.session || entry.seq !== seq)
      say(`entry ${seq} bears another's head`);
    if (kindNumbers[entry.kind] !== kind || (entry.turn ?? null) !== turn)
      say(`entry ${seq} is filed as what it is not`);
    return project(row, entry.at, [entry]);
  } catch (error) {
    say(`entry ${seq} cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}

interface SealChain {
  next(entry: ReadEntry): void;
  /** Id of the last entry of the seal that has begun; undefined between two. */
  openUntil(): number | undefined;
  redacted(): number;
}

/** Where a text was redacted nobody can make the digest again; that the next one goes on from it still shows. */
function sealChain(statements: Statements, base: number, start: Uint8Array, say: (problem: string) => void): SealChain {
  let previous = start;
  let open: { readonly seal: Seal; readonly hash: Hash | undefined } | undefined;
  let redacted = 0;
  const begin = (id: number) => {
    const seal = statements.seal.get(id);
    if (!seal) {
      say(`no seal begins at entry ${id - base}`);
      return undefined;
    }
    if (seal.salt) return { seal, hash: startDigest(previous, seal.salt) };
    redacted += 1;
    const by = seal.redacted_by ?? 0;
    const told = statements.told.get(by, Math.floor(by / entriesPerSession), by % entriesPerSession);
    if (told === 0) say(`the seal at entry ${id - base} lost its salt, and no entry tells of it`);
    return { seal, hash: undefined };
  };
  return {
    next: ({ id, body }) => {
      open ??= begin(id);
      open?.hash?.update(body);
      if (open?.seal.last !== id) return;
      const { seal, hash } = open;
      if (hash && !hash.digest().equals(seal.digest)) {
        say(`entries ${seal.first - base} to ${id - base} are not those that were sealed`);
      }
      previous = seal.digest;
      open = undefined;
    },
    openUntil: () => open?.seal.last,
    redacted: () => redacted,
  };
}

function checkEnd(
  statements: Statements,
  sid: number,
  row: SessionRow,
  chain: SealChain,
  say: (problem: string) => void,
): void {
  const base = sid * entriesPerSession;
  const end = base + row.last_seq;
  const openUntil = chain.openUntil();
  if (openUntil !== undefined) say(`its last seal covers entries up to ${openUntil - base}, there are ${row.last_seq}`);
  const after = statements.sealAfter.get(end, base + entriesPerSession);
  if (typeof after === "number") say(`a seal begins at ${after - base}, where there is no entry`);
  const stored = statements.row.get(sid);
  if (!stored) return;
  const differs = differing(row, rowOf(stored));
  if (differs.length > 0) say(`its row is not what its entries come to: ${differs.join(", ")}`);
}

function differing(expected: SessionRow, stored: SessionRow): string[] {
  const members = Object.keys(stored) as (keyof SessionRow)[];
  return members.filter((member) => canonicalJson(expected[member]) !== canonicalJson(stored[member]));
}
