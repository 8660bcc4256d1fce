// SPDX-License-Identifier: MIT OR Apache-2.0
// A database that is removed or replaced while it is open goes on taking writes that nobody will ever read again: its
// files are compared with what their names stand for.
import { type BigIntStats, statSync } from "node:fs";

export interface ChangedFile {
  readonly file: string;
  readonly now: "missing" | "another";
}

export interface TrackedFiles {
  /** Files that were removed, or that another has taken the place of, since they were opened. */
  changed(): readonly ChangedFile[];
}

/** Of files that are open, and that nothing but their owner removes as long as they are. Throws where one is missing. */
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

/** A place that cannot be looked at is no place to write to either. */
function statOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
