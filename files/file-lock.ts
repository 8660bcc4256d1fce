// SPDX-License-Identifier: MIT OR Apache-2.0
import { chmodSync } from "node:fs";
import Database from "better-sqlite3";

/**
 * Takes SQLite's lock on a file, which is created with mode 0600. Closing the database releases it, and so does the
 * kernel, however the holder dies. Returns undefined if another process still holds it after `waitMs`. Throws if the file
 * cannot be created or locked. It must not be on a network file system.
 */
export function takeFileLock(file: string, waitMs: number): Database.Database | undefined {
  let database: Database.Database | undefined;
  try {
    database = new Database(file, { timeout: waitMs });
    chmodSync(file, 0o600);
    // In WAL mode an exclusive transaction does not exclude others. A journal in memory needs no space on a full disk,
    // and none is left beside the file by a holder that is killed.
    database.pragma("journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (cause) {
    database?.close();
    if (cause instanceof Database.SqliteError && /^SQLITE_(?:BUSY|LOCKED)/u.test(cause.code)) return undefined;
    throw cause;
  }
}
