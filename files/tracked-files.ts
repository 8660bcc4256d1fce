// SPDX-License-Identifier: MIT OR Apache-2.0
// Detects that the files of an open database were removed or replaced: it would go on accepting writes that nobody can
// ever read again.
import { type BigIntStats, statSync } from "node:fs";

export interface ChangedFile {
  readonly file: string;
  readonly now: "missing" | "another";
}

export interface TrackedFiles {
  /** Returns the files that were removed or replaced since `trackFiles`. */
  changed(): readonly ChangedFile[];
}

/** Remembers the inodes of open files, which nobody but their owner should remove. Throws if a file is missing. */
export function trackFiles(files: readonly string[]): TrackedFiles {
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

/** A path that cannot be examined counts as missing: it cannot be written either. */
function statOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
