// SPDX-License-Identifier: MIT OR Apache-2.0
// Verifies one session of the log: its entries have no gap and match their seals, and its row is their projection.
import type { Hash } from "node:crypto";
import type Database from "better-sqlite3";
import { addUsage, type Entry, instanceSession, type SessionUsage, type TurnUsage } from "../vocabulary/index.ts";
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
  /** Commits that a redaction changed. */
  readonly redacted: number;
}

export type Report = (problem: string) => void;

/** Reports a missing session too, since sids have no gaps. */
export type SessionChecker = (sid: number, report: Report) => Steps<CheckedSession | undefined>;

export function sessionChecker(db: Database.Database, file: string, log: string): SessionChecker {
  const statements = prepareStatements(db);
  return function* (sid, reportProblem) {
    const stored = wrapStoreErrors(file, () => statements.row.get(sid));
    if (!stored) {
      reportProblem(`session number ${sid} is missing; sessions are never removed`);
      return undefined;
    }
    const report = (problem: string) => reportProblem(`session ${stored.id}: ${problem}`);
    const purged = wrapStoreErrors(file, () => checkTombstones(statements, sid, report));
    const base = sid * entriesPerSession;
    let row = rowAfterPurge(rowOf(stored), purged.seq);
    const chain = sealChain(statements, base, purged.chain, report);
    const usages: TurnUsage[] = [];
    let entries = 0;
    for (;;) {
      const page = wrapStoreErrors(file, () => readEntries(statements, base + row.last_seq, base + entriesPerSession));
      // In the same step as the read that found no more entries, so that nothing was appended in between.
      if (page.length === 0) {
        wrapStoreErrors(file, () => checkEnd(statements, sid, { row, usages }, chain, report));
        return { instance: stored.id === instanceSession, entries, redacted: chain.redacted() };
      }
      for (const read of page) {
        const next = checkEntry(log, { row, usages }, base, read, report);
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

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(db: Database.Database) {
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
    isReported: db
      .prepare<[number, number, number], number>(
        "SELECT EXISTS (SELECT 1 FROM entry WHERE id = ?) OR EXISTS (SELECT 1 FROM tombstone WHERE sid = ? AND last_seq >= ?)",
      )
      .pluck(),
  };
}

const rowsPerStep = 256;
const bytesPerStep = 1024 * 1024;

/** Returns the last purged seq, and the digest that the chain continues from. */
function checkTombstones(statements: Statements, sid: number, report: Report): { seq: number; chain: Uint8Array } {
  let seq = 0;
  let chain = chainStart;
  for (const tombstone of statements.tombstones.all(sid)) {
    if (tombstone.entries !== tombstone.last_seq - seq) {
      report(`its tombstone at ${tombstone.last_seq} counts ${tombstone.entries} entries after ${seq}`);
    }
    ({ last_seq: seq, chain } = tombstone);
  }
  const base = sid * entriesPerSession;
  const left = statements.firstEntry.get(base, base + seq);
  if (typeof left === "number" && statements.halfPurged.get(sid) === 0) {
    report(`entry ${left - base} was not purged, though the tombstone is at ${seq}`);
  }
  return { seq, chain };
}

/**
 * Returns the row that the entries after a purge are projected on. It is the present row, since projecting entries again
 * changes nothing, but without what the purge removed from it, and with only the open commands of that time.
 */
function rowAfterPurge(row: SessionRow, purged: number): SessionRow {
  if (purged === 0) return newRow(row.session, row.created_at);
  const commands = row.open.commands.filter(({ seq }) => seq <= purged);
  const { latest, open } = newRow(row.session, row.created_at);
  return { ...row, last_seq: purged, agent_session_id: null, usage: null, latest, open: { ...open, commands } };
}

/** What the entries so far make of the session's row, without its usage, and the usage of each turn that has one. */
interface Projected {
  readonly row: SessionRow;
  readonly usages: TurnUsage[];
}

function readEntries({ some }: Statements, after: number, before: number): ReadEntry[] {
  const read: ReadEntry[] = [];
  let bytes = 0;
  for (const entry of some.iterate(after, before)) {
    read.push(entry);
    bytes += entry.body.length;
    if (bytes > bytesPerStep) break;
  }
  return read;
}

/** Returns the row after the entry; undefined if the rest of the session cannot be checked. */
function checkEntry(
  log: string,
  { row, usages }: Projected,
  base: number,
  { id, kind, turn, body }: ReadEntry,
  report: Report,
): SessionRow | undefined {
  const seq = row.last_seq + 1;
  if (id !== base + seq) {
    report(seq + 1 === id - base ? `entry ${seq} is missing` : `entries ${seq} to ${id - base - 1} are missing`);
    return undefined;
  }
  try {
    const entry = JSON.parse(body) as Entry;
    if (entry.log !== log || entry.session !== row.session || entry.seq !== seq)
      report(`entry ${seq} has the head of another entry`);
    if (kindNumbers[entry.kind] !== kind || (entry.turn ?? null) !== turn)
      report(`entry ${seq} is stored with a wrong kind or turn`);
    if (entry.kind !== "turn" || entry.usage === undefined) return project(row, entry.at, [entry]);
    const { usage, ...rest } = entry;
    usages.push(usage);
    return project(row, entry.at, [rest]);
  } catch (error) {
    report(`entry ${seq} cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}

type SealChain = ReturnType<typeof sealChain>;

/** The digest of a redacted commit cannot be recomputed, but the next seal still depends on it. */
function sealChain(statements: Statements, base: number, start: Uint8Array, report: Report) {
  let previous = start;
  let open: { readonly seal: Seal; readonly hash: Hash | undefined } | undefined;
  let redacted = 0;
  const begin = (id: number) => {
    const seal = statements.seal.get(id);
    if (!seal) {
      report(`no seal begins at entry ${id - base}`);
      return undefined;
    }
    if (seal.salt) return { seal, hash: startDigest(previous, seal.salt) };
    redacted += 1;
    const by = seal.redacted_by ?? 0;
    const isReported = statements.isReported.get(by, Math.floor(by / entriesPerSession), by % entriesPerSession);
    if (isReported === 0) report(`the seal at entry ${id - base} has no salt, and no entry reports a redaction`);
    return { seal, hash: undefined };
  };
  return {
    next: ({ id, body }: ReadEntry): void => {
      open ??= begin(id);
      open?.hash?.update(body);
      if (open?.seal.last !== id) return;
      const { seal, hash } = open;
      if (hash && !hash.digest().equals(seal.digest)) {
        report(`entries ${seal.first - base} to ${id - base} do not match their seal`);
      }
      previous = seal.digest;
      open = undefined;
    },
    /** Returns the id of the last entry that the current seal covers; undefined between two seals. */
    openUntil: () => open?.seal.last,
    redacted: () => redacted,
  };
}

function checkEnd(
  statements: Statements,
  sid: number,
  { row, usages }: Projected,
  chain: SealChain,
  report: Report,
): void {
  const base = sid * entriesPerSession;
  const end = base + row.last_seq;
  const openUntil = chain.openUntil();
  if (openUntil !== undefined)
    report(`its last seal ends at entry ${openUntil - base}, its last entry is ${row.last_seq}`);
  const after = statements.sealAfter.get(end, base + entriesPerSession);
  if (typeof after === "number") report(`a seal begins at ${after - base}, where there is no entry`);
  const found = statements.row.get(sid);
  if (!found) return;
  const stored = rowOf(found);
  const isPurged = statements.tombstones.all(sid).length > 0;
  const differing = differingMembers({ ...row, usage: stored.usage }, stored);
  if (!isSumOf(usages, stored.usage, isPurged)) differing.push("usage");
  if (differing.length > 0) report(`its row does not match its entries: ${differing.join(", ")}`);
}

/**
 * Whether a sum is that of the last turns, as many as it counts. Turns before them are of a version that did not count
 * what agents then sent as their usage. The sum of a purged session also has turns whose entries are gone.
 */
function isSumOf(usages: readonly TurnUsage[], stored: SessionUsage | null, isPurged: boolean): boolean {
  const counted = stored?.turns ?? 0;
  if (counted > usages.length) return isPurged;
  const sum = usages.slice(usages.length - counted).reduce<SessionUsage | null>(addUsage, null);
  return canonicalJson(sum) === canonicalJson(stored);
}

function differingMembers(expected: SessionRow, stored: SessionRow): string[] {
  const members = Object.keys(stored) as (keyof SessionRow)[];
  return members.filter((member) => canonicalJson(expected[member]) !== canonicalJson(stored[member]));
}
