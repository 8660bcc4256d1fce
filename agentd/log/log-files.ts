// SPDX-License-Identifier: MIT OR Apache-2.0
// Whether the open log is still the one that its names stand for.
import type Database from "better-sqlite3";
import { type ChangedFile, filesInPlace } from "../../files/in-place.ts";
import { LogError } from "./log-error.ts";

export interface LogFiles {
  /** What is wrong with them now. Three looks at a name: cheap enough to ask before each commit. */
  gone(): LogError | undefined;
  /** Whether one of the names is another file's by now. */
  areReplaced(): boolean;
}

/**
 * Of a log in WAL mode, of which something has been read: then SQLite has made all three files, and neither removes nor
 * replaces one of them as long as the connection is open.
 */
export function logFiles(db: Database.Database, file: string): LogFiles {
  const files = filesInPlace([file, `${file}-wal`, `${file}-shm`]);
  let isSaved = false;
  return {
    gone() {
      const changed = files.changed();
      const [first] = changed;
      if (first === undefined) return undefined;
      isSaved ||= saved(db, file, changed);
      const what = first.now === "missing" ? "was removed" : "was replaced by another file";
      return new LogError("gone", `${first.file} ${what} while agentd runs; restart agentd when it is in order`);
    },
    areReplaced: () => files.changed().some(({ now }) => now === "another"),
  };
}

/**
 * Where only the write-ahead log lost its name, what it holds is brought into the log itself, so that the next agentd
 * finds everything that was acknowledged. Returns whether there is nothing more to try.
 */
function saved(db: Database.Database, file: string, changed: readonly ChangedFile[]): boolean {
  const isOwn = changed.every((each) => each.file !== file && each.now === "missing");
  if (!isOwn) return false;
  try {
    const [result] = db.pragma("wal_checkpoint(TRUNCATE)") as { readonly busy: number }[];
    return result?.busy === 0;
  } catch {
    return false;
  }
}
