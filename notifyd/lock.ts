// SPDX-License-Identifier: MIT OR Apache-2.0
// Allows one notifyd for each state directory, by SQLite's file lock, which the kernel releases when its holder dies.
import { chmodSync } from "node:fs";
import Database from "better-sqlite3";
import { NotifydError } from "./notifyd-error.ts";

/** Throws ALREADY_RUNNING if another process holds the lock. Disposing releases it. Not for network file systems. */
export function acquireLock(file: string, waitMs: number): Disposable {
  let database: Database.Database | undefined;
  try {
    database = new Database(file, { timeout: waitMs });
    chmodSync(file, 0o600);
    // Uses a rollback journal: in WAL mode an exclusive transaction does not exclude others.
    database.pragma("journal_mode = DELETE");
    database.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    database?.close();
    if (cause instanceof Database.SqliteError && /^SQLITE_(?:BUSY|LOCKED)/u.test(cause.code)) {
      throw new NotifydError("ALREADY_RUNNING", "another notifyd of this user is running", { cause });
    }
    throw new NotifydError("STATE_REFUSED", `cannot lock ${file}: ${(cause as Error).message}`, { cause });
  }
  const held = database;
  return { [Symbol.dispose]: () => held.close() };
}
