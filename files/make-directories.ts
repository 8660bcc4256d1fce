// SPDX-License-Identifier: MIT OR Apache-2.0
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a directory and its missing parents, all with mode 0700. Throws the file system's error. mkdirSync with
 * `recursive` never returns where mkdir fails with ENOENT although the parent exists, as in /proc.
 */
export function makeDirectories(path: string): void {
  if (tryMakeDirectory(path)) return;
  makeDirectories(dirname(path));
  if (!tryMakeDirectory(path)) mkdirSync(path, { mode: 0o700 });
}

/** Returns false if the parent directory is missing. */
function tryMakeDirectory(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && dirname(path) !== path) return false;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return true;
    throw error;
  }
}
