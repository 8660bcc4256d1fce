// SPDX-License-Identifier: MIT OR Apache-2.0
// How the log says that the store under it failed.
import Database from "better-sqlite3";

const logErrorCodes = {
  full: "the disk, or the space the log may take, is full",
  io: "the disk failed to read or write",
  busy: "another process holds the log",
  read_only: "the log may be read, not written",
  cannot_open: "the file cannot be opened or made",
  corrupt: "the file is damaged",
  not_a_log: "the file is something else than a log of agentd",
  foreign_file: "the file belongs to another user, or is no plain file",
  gone: "the log was removed or replaced while agentd runs",
  empty: "the log is empty",
  newer_schema: "the log was written by a newer agentd",
} as const;

export type LogErrorCode = keyof typeof logErrorCodes;

/**
 * The store failed: what was asked was not done at all. A promise that our own code broke (a wrong seq, a command id
 * taken twice) is no LogError: it is a plain Error and should end the process.
 */
export class LogError extends Error {
  override readonly name = "LogError";
  readonly code: LogErrorCode;

  constructor(code: LogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Runs what touches the store; a failure of the store comes out as LogError with its cause, any other as it is. */
export function wrapStoreErrors<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw toLogError(file, error);
  }
}

/** A failure of SQLite or of the file system as LogError; what is neither, as it came. */
export function toLogError(file: string, error: unknown): unknown {
  const code = storeCode(error);
  if (code === undefined) return error;
  return new LogError(code, `${logErrorCodes[code]}: ${file} (${(error as Error).message})`, { cause: error });
}

function storeCode(error: unknown): LogErrorCode | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string" || error instanceof LogError) return undefined;
  return error instanceof Database.SqliteError ? sqliteCode(code) : systemCode(code);
}

/** SQLite's extended codes carry the plain one in front: SQLITE_IOERR_FSYNC, SQLITE_READONLY_DIRECTORY. */
function sqliteCode(code: string): LogErrorCode | undefined {
  for (const [prefix, meaning] of sqliteCodes) if (code.startsWith(prefix)) return meaning;
  return undefined;
}

const sqliteCodes: readonly (readonly [string, LogErrorCode])[] = [
  ["SQLITE_FULL", "full"],
  ["SQLITE_IOERR", "io"],
  ["SQLITE_BUSY", "busy"],
  ["SQLITE_LOCKED", "busy"],
  ["SQLITE_READONLY", "read_only"],
  ["SQLITE_CANTOPEN", "cannot_open"],
  ["SQLITE_PERM", "cannot_open"],
  ["SQLITE_CORRUPT", "corrupt"],
  ["SQLITE_NOTADB", "not_a_log"],
];

function systemCode(code: string): LogErrorCode | undefined {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return "full";
    case "EIO":
      return "io";
    case "EROFS":
      return "read_only";
    case "EACCES":
    case "EPERM":
    case "ENOENT":
    case "ENOTDIR":
    case "EISDIR":
    case "ELOOP":
    case "EMFILE":
    case "ENFILE":
    case "ENAMETOOLONG":
      return "cannot_open";
    default:
      return undefined;
  }
}
