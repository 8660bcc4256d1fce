// SPDX-License-Identifier: MIT OR Apache-2.0
// The maintenance of a log: purge, prune, redact, verify and statistics. The caller runs one of them at a time; appends
// and reads go on meanwhile.
import type Database from "better-sqlite3";
import { type PrunableSession, prunableSessions } from "./prune.ts";
import { type Purger, purger } from "./purge.ts";
import { type RedactLog, redactor } from "./redact.ts";
import { type LogSpace, spaceReader } from "./space.ts";
import { type LogStats, logStats } from "./stats.ts";
import type { Steps } from "./steps.ts";
import { type Verify, verifier } from "./verify.ts";

export interface MaintenanceTasks extends Purger {
  readonly redact: RedactLog;
  readonly verify: Verify;
  /** Finds the sessions that a prune would purge. The caller purges them one by one. */
  prunable(before: number): Steps<readonly PrunableSession[]>;
  /** `top`: how many of the largest sessions to list, by default 20, at most 100. */
  stats(top?: number): Steps<LogStats>;
  space(): LogSpace;
}

export interface MaintenanceOptions {
  readonly db: Database.Database;
  readonly file: string;
  readonly log: string;
  readonly clock: { now(): number };
}

export function maintenanceTasks({ db, file, log, clock }: MaintenanceOptions): MaintenanceTasks {
  return {
    ...purger({ db, file, clock }),
    redact: redactor(db, file),
    verify: verifier(db, file, log),
    prunable: (before) => prunableSessions(db, file, before),
    stats: (top = 20) => logStats(db, file, top),
    space: spaceReader(db, file),
  };
}
