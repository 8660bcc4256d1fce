// SPDX-License-Identifier: MIT OR Apache-2.0
// Detects that the files of an open database were removed or replaced: it would go on accepting writes that nobody can
// ever read again.
import { statSync } from "node:fs";
import { attempt } from "./attempt.ts";

export interface ChangedFile {
  readonly file: string;
  readonly now: "missing" | "another";
}

export type TrackedFiles = ReturnType<typeof trackFiles>;

/** Remembers the inodes of open files, which nobody but their owner should remove. Throws if a file is missing. */
export function trackFiles(files: readonly string[]) {
  const opened = files.map((file) => ({ file, stat: statSync(file, { bigint: true }) }));
  return {
    /** Returns the files that were removed or replaced since `trackFiles`. */
    changed: (): readonly ChangedFile[] =>
      opened.flatMap(({ file, stat }): readonly ChangedFile[] => {
        // A path that cannot be examined counts as missing: it cannot be written either.
        const there = attempt(() => statSync(file, { bigint: true, throwIfNoEntry: false }));
        if (there === undefined) return [{ file, now: "missing" }];
        return there.ino === stat.ino && there.dev === stat.dev ? [] : [{ file, now: "another" }];
      }),
  };
}
