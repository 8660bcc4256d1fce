// SPDX-License-Identifier: MIT OR Apache-2.0
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a file under another name and gives it its own when it is whole, so that nobody ever finds half of it. Where
 * there is one by then, that one stays. `make` gets the name to make it under, and leaves no other file behind.
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
    // Somebody else was quicker.
    if (code === "EEXIST") return;
    // A file system without hard links.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    renameSync(temporary, file);
  }
}

/** Also a directory, whose names are on disk then. */
export function syncFile(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
