// SPDX-License-Identifier: MIT OR Apache-2.0
// Child processes that may survive agentd. Each is recorded when it has started and removed when it has ended; at its
// next start, agentd looks for those that are left.
import type Database from "better-sqlite3";
import { wrapStoreErrors } from "./log-error.ts";

export interface ChildProcess {
  readonly session: string;
  readonly pid: number;
  /** Clock ticks since boot, from /proc. Together with pid and boot id it identifies the process uniquely. */
  readonly start_time: string;
  readonly boot_id: string;
  /** Value in the environment of the process and of its descendants. */
  readonly marker: string;
}

export type ProcessRecords = ReturnType<typeof processRecords>;

/** Each write is a durable transaction of its own. */
export function processRecords(db: Database.Database, file: string) {
  const add = db.prepare(`
    INSERT INTO process (boot_id, pid, start_time, marker, sid)
    VALUES (:boot_id, :pid, :start_time, :marker, (SELECT sid FROM session WHERE id = :session))
    ON CONFLICT DO NOTHING`);
  const remove = db.prepare("DELETE FROM process WHERE boot_id = :boot_id AND pid = :pid AND start_time = :start_time");
  const all = db.prepare<[], ChildProcess>(`
    SELECT id AS session, pid, start_time, boot_id, marker FROM process JOIN session USING (sid) ORDER BY sid, pid`);
  return {
    /** The session must be in the log. Does nothing if the process is already recorded. */
    add: (child: ChildProcess) => void wrapStoreErrors(file, () => add.run(child)),
    remove: (child: ChildProcess) => void wrapStoreErrors(file, () => remove.run(child)),
    all: (): readonly ChildProcess[] => wrapStoreErrors(file, () => all.all()),
  };
}
