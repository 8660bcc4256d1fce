// SPDX-License-Identifier: MIT OR Apache-2.0
import { chmodSync, lstatSync } from "node:fs";
import { createAtomically } from "./create-atomically.ts";

export interface RefusedFile {
  readonly problem: "gone" | "foreign_file" | "empty";
  /** What follows the file's name in a sentence, with what a person may do. */
  readonly reason: string;
}

/**
 * Prepares the file of a SQLite database that holds what people entrusted to `program`: a plain file of this user that no
 * one else reads. Where there is none, `make` makes it under a temporary name, so that an empty file is never one that was
 * just begun. An existing one is looked at by its name alone: opening and closing it would drop the locks that this
 * process already has on it. Returns why it must not be opened; it is untouched then.
 */
export function prepareDatabaseFile(
  file: string,
  program: string,
  make: (temporary: string) => void,
): RefusedFile | undefined {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) {
    const left = `${file}-wal`;
    // A write-ahead log without its database holds what was written last: a new database would sweep it away.
    if (lstatSync(left, { throwIfNoEntry: false })?.size) {
      return {
        problem: "gone",
        reason: `is missing, and its ${left} is there: put it back, or take that away as well`,
      };
    }
    createAtomically(file, make);
  }
  const found = lstatSync(file);
  if (!found.isFile()) return { problem: "foreign_file", reason: "is no plain file" };
  const user = process.getuid?.();
  if (user !== undefined && found.uid !== user) {
    return { problem: "foreign_file", reason: `belongs to user ${found.uid}, this is user ${user}` };
  }
  if (found.size === 0) {
    const advice = "put it back from a copy, or remove the empty file to begin anew";
    return { problem: "empty", reason: `is empty, as ${program} never leaves it: ${advice}` };
  }
  if ((found.mode & 0o077) !== 0) chmodSync(file, 0o600);
  return undefined;
}
