// SPDX-License-Identifier: MIT OR Apache-2.0
import type Database from "better-sqlite3";
import { wrapStoreErrors } from "./log-error.ts";

/** All of it on disk when this returns, or, where it throws, nothing of it. A failure of the store is a LogError. */
export function inTransaction<T>(db: Database.Database, file: string, act: () => T): T {
  return wrapStoreErrors(file, () => db.transaction(act).immediate());
}
