// SPDX-License-Identifier: MIT OR Apache-2.0
// Whether the open log is still the one that its names stand for, and as long as it was left.
import { statSync } from "node:fs";
import type Database from "better-sqlite3";
import { type ChangedFile, filesInPlace } from "../../files/in-place.ts";
import { LogError, toLogError } from "./log-error.ts";

export interface LogFiles {
  /** What is wrong with them now. Some looks at names and at SQLite's own numbers: cheap enough to ask before each commit. */
  gone(): LogError | undefined;
  /** Whether one of the names is another file's by now, or a file was cut: closing would write over what is there. */
  areReplaced(): boolean;
}

/**
 * Of a log in WAL mode, of which something has been read: then SQLite has made all three files, and neither removes nor
 * replaces one of them as long as the connection is open. `lockFile` is watched with them: without it in its place,
 * another agentd may write to the same log.
 */
export function logFiles(db: Database.Database, file: string, lockFile?: string): LogFiles {
  const own = [`${file}-wal`, `${file}-shm`];
  const files = filesInPlace([file, ...own, ...(lockFile === undefined ? [] : [lockFile])]);
  const cutFile = cutFileFinder(db, file);
  let isSaved = false;
  return {
    gone() {
      try {
        const changed = files.changed();
        const [first] = changed;
        if (first === undefined) {
          const cut = cutFile();
          return cut === undefined ? undefined : goneError(cut, "was cut or written over");
        }
        isSaved ||= saved(db, own, changed);
        return goneError(first.file, first.now === "missing" ? "was removed" : "was replaced by another file");
      } catch (error) {
        const translated = toLogError(file, error);
        if (translated instanceof LogError) return translated;
        throw error;
      }
    },
    areReplaced() {
      const changed = files.changed();
      if (changed.length === 0) return cutFile() !== undefined;
      return changed.some((each) => each.now === "another" && each.file !== lockFile);
    },
  };
}

function goneError(file: string, what: string): LogError {
  return new LogError("gone", `${file} ${what} while agentd runs; restart agentd when it is in order`);
}

/**
 * Finds the file that somebody else has made shorter without giving it another name (`cp` of an old copy, a shell's `>`).
 * SQLite does not notice: it would go on behind the end of the write-ahead log, and no one could read that again.
 */
function cutFileFinder(db: Database.Database, file: string): () => string | undefined {
  // Moves nothing: how many frames the write-ahead log holds, as all connections agree.
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
    // SQLite shortens the file only to a length that the log has had since the last look.
    if (now.size < Math.min(last.size, last.length, now.length)) return file;
    last = now;
    return undefined;
  };
}

/**
 * Where only the write-ahead log lost its name, what it holds is brought into the log itself, so that the next agentd
 * finds everything that was acknowledged. Returns whether there is nothing more to try.
 */
function saved(db: Database.Database, own: readonly string[], changed: readonly ChangedFile[]): boolean {
  const isOwn = changed.every((each) => own.includes(each.file) && each.now === "missing");
  if (!isOwn) return false;
  try {
    const [result] = db.pragma("wal_checkpoint(TRUNCATE)") as { readonly busy: number }[];
    return result?.busy === 0;
  } catch {
    return false;
  }
}
