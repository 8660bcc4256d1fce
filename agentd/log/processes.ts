// SPDX-License-Identifier: MIT OR Apache-2.0
// Children that may still run if agentd is killed: written down when one has started, removed when it is gone, and
// looked for when agentd starts again.
import type Database from "better-sqlite3";
import { wrapStoreErrors } from "./log-error.ts";

export interface ChildProcess {
  readonly session: string;
  readonly pid: number;
  /** Ticks since boot, as /proc says it; with pid and boot it names one process and no later one. */
  readonly start_time: string;
  readonly boot_id: string;
  /** What stands in its environment, and in that of what it started. */
  readonly marker: string;
}

/** Each call that writes is a durable transaction of its own. */
export interface ProcessRecords {
  /** The session must be in the log; a process that is recorded already stays. */
  add(child: ChildProcess): void;
  remove(child: ChildProcess): void;
  all(): readonly ChildProcess[];
}

export function processRecords(db: Database.Database, file: string): ProcessRecords {
  const add = db.prepare(`
    INSERT INTO process (boot_id, pid, start_time, marker, sid)
    VALUES (:boot_id, :pid, :start_time, :marker, (SELECT sid FROM session WHERE id = :session))
    ON CONFLICT DO NOTHING`);
  const remove = db.prepare("DELETE FROM process WHERE boot_id = :boot_id AND pid = :pid AND start_time = :start_time");
  const all = db.prepare<[], ChildProcess>(`
    SELECT id AS session, pid, start_time, boot_id, marker FROM process JOIN session USING (sid) ORDER BY sid, pid`);
  return {
    add: (child) => void wrapStoreErrors(file, () => add.run(child)),
    remove: (child) => void wrapStoreErrors(file, () => remove.run(child)),
    all: () => wrapStoreErrors(file, () => all.all()),
  };
}
