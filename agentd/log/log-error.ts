// SPDX-License-Identifier: MIT OR Apache-2.0
// LogError: the store under the log failed.
import type Database from "better-sqlite3";

const logErrorCodes = {
  full: "the disk, or the space that the log may take, is full",
  io: "the disk failed to read or write",
  busy: "another process has locked the log",
  read_only: "the log is read-only",
  cannot_open: "the file cannot be opened or created",
  corrupt: "the file is damaged",
  not_a_log: "the file is not a log of agentd",
  foreign_file: "the file belongs to another user, or is not a regular file",
  gone: "the log was removed or replaced while agentd was running",
  empty: "the log is empty",
  newer_schema: "the log was written by a newer agentd",
} as const;

export type LogErrorCode = keyof typeof logErrorCodes;

/**
 * The store failed, and the call had no effect. A bug of our own code (a wrong seq, a command id taken twice) is a plain
 * Error instead, and should end the process.
 */
export class LogError extends Error {
  override readonly name = "LogError";
  readonly code: LogErrorCode;

  constructor(code: LogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Runs `act`, and rethrows an error of SQLite or the file system as a LogError with its cause. */
export function wrapStoreErrors<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw toLogError(file, error);
  }
}

/** Runs `act` in a transaction, which is on disk on return. If it throws, nothing was written. Throws LogError. */
export function inTransaction<T>(db: Database.Database, file: string, act: () => T): T {
  return wrapStoreErrors(file, () => db.transaction(act).immediate());
}

/** Converts an error of SQLite or of the file system to a LogError. Returns any other error unchanged. */
export function toLogError(file: string, error: unknown): unknown {
  const code = storeErrorCode(error);
  if (code === undefined) return error;
  return new LogError(code, `${logErrorCodes[code]}: ${file} (${(error as Error).message})`, { cause: error });
}

function storeErrorCode(error: unknown): LogErrorCode | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string" || error instanceof LogError) return undefined;
  return storeErrorCodes.find(([prefix]) => code.startsWith(prefix))?.[1];
}

/** SQLite's extended codes begin with the primary code: SQLITE_IOERR_FSYNC, SQLITE_READONLY_DIRECTORY. */
const storeErrorCodes: readonly (readonly [prefix: string, LogErrorCode])[] = [
  ["SQLITE_FULL", "full"],
  ["SQLITE_IOERR", "io"],
  ["SQLITE_BUSY", "busy"],
  ["SQLITE_LOCKED", "busy"],
  ["SQLITE_READONLY", "read_only"],
  ["SQLITE_CANTOPEN", "cannot_open"],
  ["SQLITE_PERM", "cannot_open"],
  ["SQLITE_CORRUPT", "corrupt"],
  ["SQLITE_NOTADB", "not_a_log"],
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EIO", "io"],
  ["EROFS", "read_only"],
  ["EACCES", "cannot_open"],
  ["EPERM", "cannot_open"],
  ["ENOENT", "cannot_open"],
  ["ENOTDIR", "cannot_open"],
  ["EISDIR", "cannot_open"],
  ["ELOOP", "cannot_open"],
  ["EMFILE", "cannot_open"],
  ["ENFILE", "cannot_open"],
  ["ENAMETOOLONG", "cannot_open"],
];
