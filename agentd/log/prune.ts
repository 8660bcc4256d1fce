// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds the sessions that a prune purges.
import type Database from "better-sqlite3";
import { wrapStoreErrors } from "./log-error.ts";
import { isEnded, purgedTo } from "./purge.ts";
import type { Steps } from "./steps.ts";

export interface PrunableSession {
  readonly session: string;
  /** Time of its last entry, RFC 3339. */
  readonly updated_at: string;
  /** How many entries a purge would remove. */
  readonly entries: number;
}

/**
 * Returns the ended sessions whose last entry is older than `before` (milliseconds since the epoch) and that still have
 * entries to purge, oldest first. Throws RangeError if `before` is not a valid time.
 */
export function* prunableSessions(db: Database.Database, file: string, before: number): Steps<PrunableSession[]> {
  const until = new Date(before).toISOString();
  const some = db.prepare<[number, number, string], PrunableSession>(`
    SELECT id AS session, updated_at, last_seq - ${purgedTo} AS entries FROM session
    WHERE sid > ? AND sid <= ? AND ${isEnded} AND updated_at < ? AND last_seq > ${purgedTo} ORDER BY sid`);
  const found: PrunableSession[] = [];
  // A prune is rare, so there is no index: this scans the table, some rows per step.
  const last = wrapStoreErrors(file, () => db.prepare<[], number>("SELECT max(sid) FROM session").pluck().get()) ?? 0;
  for (let after = 0; after < last; after += sessionsPerStep) {
    found.push(...wrapStoreErrors(file, () => some.all(after, after + sessionsPerStep, until)));
    yield;
  }
  return found.sort((left, right) => (left.updated_at < right.updated_at ? -1 : 1));
}

const sessionsPerStep = 1000;
