// SPDX-License-Identifier: MIT OR Apache-2.0
// One notifyd for each state directory, held by SQLite's file lock: the kernel frees it when its holder dies.
import { chmodSync } from "node:fs";
import Database from "better-sqlite3";
import { NotifydError } from "./notifyd-error.ts";

/** Throws ALREADY_RUNNING where another holds it. What comes back frees it. The file must not lie on a network file system. */
export function holdLock(file: string, waitMs: number): Disposable {
  let database: Database.Database | undefined;
  try {
    database = new Database(file, { timeout: waitMs });
    chmodSync(file, 0o600);
    // A rollback journal: in WAL mode an exclusive transaction keeps nobody from opening.
    database.pragma("journal_mode = DELETE");
    database.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    database?.close();
    if (cause instanceof Database.SqliteError && /^SQLITE_(?:BUSY|LOCKED)/u.test(cause.code)) {
      throw new NotifydError("ALREADY_RUNNING", "another notifyd of this user runs", { cause });
    }
    throw new NotifydError("STATE_REFUSED", `${file} cannot be locked: ${(cause as Error).message}`, { cause });
  }
  const held = database;
  return { [Symbol.dispose]: () => held.close() };
}
