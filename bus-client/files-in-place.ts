// SPDX-License-Identifier: MIT OR Apache-2.0
// A database that is removed or replaced while it is open goes on taking writes that nobody will ever read again: its
// files are compared with what their names stand for.
import { type BigIntStats, closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";

export interface ChangedFile {
  readonly file: string;
  readonly now: "missing" | "another";
}

export interface FilesInPlace {
  /** Files that were removed, or that another has taken the place of, since they were opened. */
  changed(): readonly ChangedFile[];
}

/** Of files that are open, and that nothing but their owner removes as long as they are. Throws where one is missing. */
export function filesInPlace(files: readonly string[]): FilesInPlace {
  const opened = files.map((file) => ({ file, stat: statSync(file, { bigint: true }) }));
  return {
    changed: () =>
      opened.flatMap(({ file, stat }): readonly ChangedFile[] => {
        const there = statOf(file);
        if (there === undefined) return [{ file, now: "missing" }];
        return there.ino === stat.ino && there.dev === stat.dev ? [] : [{ file, now: "another" }];
      }),
  };
}

/**
 * Makes a file under another name and gives it its own when it is whole, so that nobody ever finds half of it. Where
 * there is one by then, that one stays. `make` gets the name to make it under, and leaves no other file behind.
 */
export function makeWhole(file: string, make: (temporary: string) => void): void {
  const temporary = `${file}.new-${process.pid}`;
  rmSync(temporary, { force: true });
  try {
    closeSync(openSync(temporary, "wx", 0o600));
    make(temporary);
    syncFile(temporary);
    giveName(temporary, file);
    syncFile(dirname(file));
  } finally {
    rmSync(temporary, { force: true });
  }
}

function giveName(temporary: string, file: string): void {
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

/** A place that cannot be looked at is no place to write to either. */
function statOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
