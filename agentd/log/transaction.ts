// SPDX-License-Identifier: MIT OR Apache-2.0
import type Database from "better-sqlite3";
import { wrapStoreErrors } from "./log-error.ts";

/** Runs `act` in a transaction, which is on disk on return. If it throws, nothing was written. Throws LogError. */
export function inTransaction<T>(db: Database.Database, file: string, act: () => T): T {
  return wrapStoreErrors(file, () => db.transaction(act).immediate());
}
