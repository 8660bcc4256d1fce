// SPDX-License-Identifier: MIT OR Apache-2.0
// Detects that the files of the open log were removed, replaced or truncated by someone else.
import { statSync } from "node:fs";
import type Database from "better-sqlite3";
import { attempt } from "../../files/attempt.ts";
import { type ChangedFile, trackFiles } from "../../files/tracked-files.ts";
import { LogError, toLogError } from "./log-error.ts";
import { truncateWal } from "./space.ts";

export type LogFiles = ReturnType<typeof logFiles>;

/**
 * The log must be in WAL mode and have been read from: SQLite has then created all three files, and keeps them as long as
 * the connection is open. `lockFile` is watched too, since without it another agentd may write to the same log.
 */
export function logFiles(db: Database.Database, file: string, lockFile?: string) {
  const walFiles = [`${file}-wal`, `${file}-shm`];
  const files = trackFiles([file, ...walFiles, ...(lockFile === undefined ? [] : [lockFile])]);
  const findTruncated = truncatedFileFinder(db, file);
  let isSaved = false;
  return {
    /** Returns what is wrong with the files now. Cheap enough to call before each commit: a few `stat`s and pragmas. */
    gone(): LogError | undefined {
      try {
        const changed = files.changed();
        const [first] = changed;
        if (first === undefined) {
          const truncated = findTruncated();
          return truncated === undefined ? undefined : goneError(truncated, "was truncated or overwritten");
        }
        isSaved ||= saveUnlinkedWal(db, walFiles, changed);
        return goneError(first.file, first.now === "missing" ? "was removed" : "was replaced by another file");
      } catch (error) {
        const storeError = toLogError(file, error);
        if (storeError instanceof LogError) return storeError;
        throw error;
      }
    },
    /** True if a file was replaced by another or truncated. Closing the database would then overwrite it. */
    areReplaced(): boolean {
      const changed = files.changed();
      if (changed.length === 0) return findTruncated() !== undefined;
      return changed.some((each) => each.now === "another" && each.file !== lockFile);
    },
  };
}

function goneError(file: string, what: string): LogError {
  return new LogError("gone", `${file} ${what} while agentd was running; restore it, then restart agentd`);
}

/**
 * Finds a file that someone truncated in place (`cp` of an old copy, a shell's `>`). SQLite does not notice: it would
 * write past the end of the write-ahead log, and those commits could never be read again.
 */
function truncatedFileFinder(db: Database.Database, file: string): () => string | undefined {
  // NOOP moves nothing. It tells how many frames the write-ahead log has for all connections.
  const frames = db.prepare<[], { readonly log: number }>("PRAGMA wal_checkpoint(NOOP)");
  const pages = db.prepare<[], number>("PRAGMA page_count").pluck();
  const pageBytes = db.pragma("page_size", { simple: true }) as number;
  const sizeOf = (name: string): number => statSync(name).size;
  const walHeaderBytes = 32;
  const frameBytes = pageBytes + 24;
  const length = (): number => (pages.get() ?? 0) * pageBytes;
  let last = { size: sizeOf(file), length: length() };
  return () => {
    const log = frames.get()?.log ?? 0;
    if (log > 0 && sizeOf(`${file}-wal`) < walHeaderBytes + log * frameBytes) return `${file}-wal`;
    const now = { size: sizeOf(file), length: length() };
    // SQLite itself shortens the file only to a length that the database has had since the last check.
    if (now.size < Math.min(last.size, last.length, now.length)) return file;
    last = now;
    return undefined;
  };
}

/**
 * If only files of the write-ahead log were unlinked, moves its content into the database, so that the next agentd finds
 * everything that was acknowledged. Returns true once that is done.
 */
function saveUnlinkedWal(db: Database.Database, walFiles: readonly string[], changed: readonly ChangedFile[]): boolean {
  const isOnlyWal = changed.every((each) => walFiles.includes(each.file) && each.now === "missing");
  return isOnlyWal && attempt(() => truncateWal(db)) === true;
}
