// SPDX-License-Identifier: MIT OR Apache-2.0
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a directory and what is missing above it, all of them mode 0700. Throws what the file system says. Node's own
 * `recursive` never ends where the kernel calls a directory missing that it will not have made, as in /proc.
 */
export function makeDirectories(path: string): void {
  if (tryMakeDirectory(path)) return;
  makeDirectories(dirname(path));
  if (!tryMakeDirectory(path)) mkdirSync(path, { mode: 0o700 });
}

/** False where what is above it is missing. */
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
