// SPDX-License-Identifier: MIT OR Apache-2.0
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a file under a temporary name and links it into place when it is complete, so that nobody ever finds half of
 * it. A file that another process created meanwhile is kept. Only a file system without hard links replaces it.
 * `make` writes to the temporary name and must leave no other file behind.
 */
export function createAtomically(file: string, make: (temporary: string) => void): void {
  const temporary = `${file}.new-${process.pid}`;
  rmSync(temporary, { force: true });
  try {
    closeSync(openSync(temporary, "wx", 0o600));
    make(temporary);
    syncFile(temporary);
    linkOrRename(temporary, file);
    syncFile(dirname(file));
  } finally {
    rmSync(temporary, { force: true });
  }
}

function linkOrRename(temporary: string, file: string): void {
  try {
    linkSync(temporary, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Somebody else was faster.
    if (code === "EEXIST") return;
    // The file system has no hard links.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    renameSync(temporary, file);
  }
}

/** Flushes a file to disk, or the entries of a directory. */
export function syncFile(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
