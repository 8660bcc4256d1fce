// SPDX-License-Identifier: MIT OR Apache-2.0
// Statistics of the log: its size, and its largest sessions. Entries are not read: a session's row and tombstones tell
// how many it has.
import type Database from "better-sqlite3";
import { callLimits, instanceSession } from "../vocabulary/index.ts";
import { wrapStoreErrors } from "./log-error.ts";
import { isEnded, purgedTo } from "./purge.ts";
import { type LogSpace, spaceReader } from "./space.ts";
import type { Steps } from "./steps.ts";

export interface LogStats {
  readonly space: LogSpace;
  /** Without `instance`. */
  readonly sessions: number;
  readonly ended: number;
  /** Sessions that were purged at least once. */
  readonly purged: number;
  readonly entries: number;
  /** The sessions with the most entries, largest first; can include `instance`. */
  readonly fullest: readonly { readonly session: string; readonly entries: number; readonly updated_at: string }[];
}

/** `top`: how many of the largest sessions, at most 100. A step reads 1000 sessions. Throws LogError if the store fails. */
export function* logStats(db: Database.Database, file: string, top: number): Steps<LogStats> {
  const some = db.prepare<[number, number], SessionCount>(`
    SELECT id AS session, id = '${instanceSession}' AS instance, ${isEnded} AS ended, ${purgedTo} AS purged,
      last_seq - ${purgedTo} AS entries, updated_at
    FROM session WHERE sid > ? AND sid <= ?`);
  const last = wrapStoreErrors(file, () => db.prepare<[], number>("SELECT max(sid) FROM session").pluck().get()) ?? 0;
  const count = { sessions: 0, ended: 0, purged: 0, entries: 0 };
  let fullest: SessionCount[] = [];
  for (let after = 0; after < last; after += sessionsPerStep) {
    const rows = wrapStoreErrors(file, () => some.all(after, after + sessionsPerStep));
    for (const { instance, ended, purged, entries } of rows) {
      count.sessions += 1 - instance;
      count.ended += ended;
      count.purged += purged > 0 ? 1 : 0;
      count.entries += entries;
    }
    fullest = [...fullest, ...rows.filter(({ entries }) => entries > 0)]
      .sort((left, right) => right.entries - left.entries)
      .slice(0, Math.min(top, callLimits.fullestSessionsMax));
    yield;
  }
  return {
    space: spaceReader(db, file)(),
    ...count,
    fullest: fullest.map(({ session, entries, updated_at }) => ({ session, entries, updated_at })),
  };
}

const sessionsPerStep = 1000;

interface SessionCount {
  readonly session: string;
  readonly instance: 0 | 1;
  readonly ended: 0 | 1;
  /** The last purged seq; 0 if there was no purge. */
  readonly purged: number;
  readonly entries: number;
  readonly updated_at: string;
}
