// SPDX-License-Identifier: MIT OR Apache-2.0
// Which sessions nobody has touched for long: each is then purged by itself.
import type Database from "better-sqlite3";
import { wrapStoreErrors } from "./log-error.ts";
import { isEnded, purgedTo } from "./purge.ts";
import type { Steps } from "./steps.ts";

export interface PrunableSession {
  readonly session: string;
  /** RFC 3339; of its last entry. */
  readonly updated_at: string;
  /** How many a purge would remove. */
  readonly entries: number;
}

/**
 * Ended sessions whose last entry is older than `before` (milliseconds since the epoch) and of which something is left;
 * the one that was touched longest ago first. Throws RangeError for what is no time.
 */
export function* prunableSessions(db: Database.Database, file: string, before: number): Steps<PrunableSession[]> {
  const until = new Date(before).toISOString();
  const some = db.prepare<[number, number, string], PrunableSession>(`
    SELECT id AS session, updated_at, last_seq - ${purgedTo} AS entries FROM session
    WHERE sid > ? AND sid <= ? AND ${isEnded} AND updated_at < ? AND last_seq > ${purgedTo} ORDER BY sid`);
  const found: PrunableSession[] = [];
  // There is no index for this, and it is asked seldom: the table is looked through, some rows a step.
  const last = wrapStoreErrors(file, () => db.prepare<[], number>("SELECT max(sid) FROM session").pluck().get()) ?? 0;
  for (let after = 0; after < last; after += sessionsPerStep) {
    found.push(...wrapStoreErrors(file, () => some.all(after, after + sessionsPerStep, until)));
    yield;
  }
  return found.sort((left, right) => (left.updated_at < right.updated_at ? -1 : 1));
}

const sessionsPerStep = 1000;
