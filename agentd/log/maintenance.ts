// SPDX-License-Identifier: MIT OR Apache-2.0
// What keeps the log in hand over the years: taking out, looking through, counting. Of purge, redact and verify one
// runs at a time; appending and reading go on meanwhile.
import type Database from "better-sqlite3";
import { type PrunableSession, prunableSessions } from "./prune.ts";
import { type Purger, purger } from "./purge.ts";
import { type Redact, redactor } from "./redact.ts";
import { type LogSpace, spaceReader } from "./space.ts";
import { type LogStats, logStats } from "./stats.ts";
import type { Steps } from "./steps.ts";
import { type Verify, verifier } from "./verify.ts";

export interface MaintenanceTasks extends Purger {
  readonly redact: Redact;
  readonly verify: Verify;
  /** Ended sessions not touched since `before`, milliseconds since the epoch: for the caller to purge one by one. */
  prunable(before: number): Steps<readonly PrunableSession[]>;
  /** With the `top` fullest sessions: 20, at most 100. */
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
