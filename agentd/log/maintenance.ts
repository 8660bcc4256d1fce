// SPDX-License-Identifier: MIT OR Apache-2.0
// The maintenance of a log: purge, prune, redact, verify and statistics. The caller runs one of them at a time; appends
// and reads go on meanwhile.
import type Database from "better-sqlite3";
import { callLimits, instanceSession, type StatsReply } from "../vocabulary/index.ts";
import { kindNumbers } from "./kinds.ts";
import { wrapStoreErrors } from "./log-error.ts";
import { isEnded, purgedTo, purger } from "./purge.ts";
import { redactor } from "./redact.ts";
import { lastSid } from "./session-table.ts";
import { type LogSpace, spaceReader } from "./space.ts";
import type { Steps } from "./steps.ts";
import { verifier } from "./verify.ts";

export type MaintenanceTasks = ReturnType<typeof maintenanceTasks>;

export function maintenanceTasks(db: Database.Database, file: string, log: string, clock: { now(): number }) {
  return {
    ...purger(db, file, clock),
    redact: redactor(db, file),
    verify: verifier(db, file, log),
    prunable: (before: number) => prunableSessions(db, file, before),
    /** `top`: how many of the largest sessions to list, at most 100. */
    stats: (top: number = callLimits.fullestSessionsDefault) => logStats(db, file, top),
    space: spaceReader(db, file),
  };
}

interface PrunableSession {
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
function* prunableSessions(db: Database.Database, file: string, before: number): Steps<readonly PrunableSession[]> {
  const until = new Date(before).toISOString();
  const some = db.prepare<[number, number, string], PrunableSession>(`
    SELECT id AS session, updated_at, last_seq - ${purgedTo} AS entries FROM session
    WHERE sid > ? AND sid <= ? AND ${isEnded} AND updated_at < ? AND ${hasUnpurged} ORDER BY sid`);
  const found: PrunableSession[] = [];
  yield* scanSessions(db, file, (after, to) => found.push(...some.all(after, to, until)));
  return found.sort((left, right) => (left.updated_at < right.updated_at ? -1 : 1));
}

/** SQL on a row of `session`. The reply to a purge, which comes after it, is all that a purged session has. */
const hasUnpurged = `EXISTS (SELECT 1 FROM entry WHERE entry.kind <> ${kindNumbers.reply}
    AND entry.id > (sid << 30) + ${purgedTo} AND entry.id <= (sid << 30) + last_seq)`;

export interface LogStats extends Omit<StatsReply, `${string}_bytes`> {
  readonly space: LogSpace;
}

/** Counts by the sessions' rows and tombstones, without reading entries. Throws LogError if the store fails. */
function* logStats(db: Database.Database, file: string, top: number): Steps<LogStats> {
  const some = db.prepare<[number, number], SessionCount>(`
    SELECT id AS session, id = '${instanceSession}' AS instance, ${isEnded} AS ended, ${purgedTo} > 0 AS purged,
      last_seq - ${purgedTo} AS entries, updated_at
    FROM session WHERE sid > ? AND sid <= ?`);
  const count = { sessions: 0, ended: 0, purged: 0, entries: 0 };
  let fullest: StatsReply["fullest"] = [];
  yield* scanSessions(db, file, (after, to) => {
    const filled = [...fullest];
    for (const { instance, ended, purged, ...session } of some.all(after, to)) {
      count.sessions += 1 - instance;
      count.ended += ended;
      count.purged += purged;
      count.entries += session.entries;
      if (session.entries > 0) filled.push(session);
    }
    filled.sort((left, right) => right.entries - left.entries);
    fullest = filled.slice(0, Math.min(top, callLimits.fullestSessionsMax));
  });
  return { space: spaceReader(db, file)(), ...count, fullest };
}

interface SessionCount {
  readonly session: string;
  readonly instance: 0 | 1;
  readonly ended: 0 | 1;
  readonly purged: 0 | 1;
  readonly entries: number;
  readonly updated_at: string;
}

/** Calls `read` with one range of sids per step. There is no index for maintenance, which is rare. */
function* scanSessions(db: Database.Database, file: string, read: (after: number, to: number) => void): Steps<void> {
  const last = lastSid(db, file);
  for (let after = 0; after < last; after += sessionsPerStep) {
    wrapStoreErrors(file, () => read(after, after + sessionsPerStep));
    yield;
  }
}

const sessionsPerStep = 1000;
