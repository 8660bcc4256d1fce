// SPDX-License-Identifier: MIT OR Apache-2.0
import { chmodSync, lstatSync } from "node:fs";
import { createAtomically } from "./create-atomically.ts";

export interface RefusedFile {
  readonly problem: "gone" | "foreign_file" | "empty";
  /** Continues a sentence after the file's name, and says what a person can do. */
  readonly reason: string;
}

/**
 * Prepares the file of a SQLite database: a regular file of this user that nobody else can read. If there is none,
 * `make` creates it under a temporary name, so that an empty file is never a database in the making. An existing file
 * is only examined by name: opening and closing it would drop this process's POSIX locks on it. Returns the reason if
 * the file must not be opened, and leaves it untouched then.
 */
export function prepareDatabaseFile(
  file: string,
  program: string,
  make: (temporary: string) => void,
): RefusedFile | undefined {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) {
    const left = `${file}-wal`;
    // A write-ahead log without its database holds the last writes. A new database would delete it.
    if (lstatSync(left, { throwIfNoEntry: false })?.size) {
      return {
        problem: "gone",
        reason: `is missing, but its ${left} exists: put it back, or remove that file too`,
      };
    }
    createAtomically(file, make);
  }
  const found = lstatSync(file);
  if (!found.isFile()) return { problem: "foreign_file", reason: "is not a regular file" };
  const user = process.getuid?.();
  if (user !== undefined && found.uid !== user) {
    return { problem: "foreign_file", reason: `belongs to user ${found.uid}, this is user ${user}` };
  }
  if (found.size === 0) {
    const advice = "put it back from a copy, or remove the empty file to start over";
    return { problem: "empty", reason: `is empty, and ${program} never leaves an empty file: ${advice}` };
  }
  if ((found.mode & 0o077) !== 0) chmodSync(file, 0o600);
  return undefined;
}
