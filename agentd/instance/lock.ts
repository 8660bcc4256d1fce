// SPDX-License-Identifier: MIT OR Apache-2.0
// One agentd for each state directory, held by SQLite's file lock: the kernel frees it when its holder dies, however it dies.
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { findByIdentity } from "../../acp-client/process/process-identity.ts";
import type { Build } from "../../files/installed-build.ts";
import { trackFiles } from "../../files/tracked-files.ts";

export interface InstanceLock {
  /** Frees the lock and removes the pid record; again does nothing. */
  release(): void;
  [Symbol.dispose](): void;
}

/** Who holds the lock: a help for people and for `mix agent stop`; it decides only where the lock file was removed. */
export interface PidRecord {
  readonly pid: number;
  readonly started_at: string;
  /** Which agentd it is, for command lines of another build; agentd 0.1.0 and earlier does not say. */
  readonly version?: string;
  readonly build?: string;
  /** With them the pid is this process's and no later one's; absent where the system does not tell. */
  readonly start_time?: string;
  readonly boot_id?: string;
}

export type AcquiredLock =
  | { readonly ok: true; readonly lock: InstanceLock }
  /** The holder is undefined while it has not yet written who it is. */
  | { readonly ok: false; readonly holder: PidRecord | undefined; readonly message: string };

export interface LockOptions {
  readonly lockFile: string;
  readonly pidFile: string;
  readonly pid: number;
  /** Of that process. */
  readonly identity?: { readonly startTime: string; readonly bootId: string } | undefined;
  /** UTC, RFC 3339. */
  readonly startedAt: string;
  readonly build: Build;
  /** How long a held lock is tried for: of several that start at the same instant, one must not lose to the others' trying. */
  readonly waitMs: number;
}

/**
 * Takes the lock, or says who has it. Throws where the file can be neither made nor locked. The lock file must not be on
 * a network file system, and must not be opened by other means while it is held: closing it would free the lock.
 */
export function acquireInstanceLock(options: LockOptions): AcquiredLock {
  const database = lockedDatabase(options);
  if (database === undefined) return heldBy(options.pidFile);
  if (isRecordedHolderAlive(options)) {
    database.close();
    return heldBy(options.pidFile);
  }
  try {
    writePidRecord(options.pidFile, recordOf(options));
  } catch (cause) {
    database.close();
    throw new Error(`${options.pidFile} cannot be written`, { cause });
  }
  return { ok: true, lock: makeLock(database, options) };
}

function recordOf({ pid, startedAt, identity, build }: LockOptions): PidRecord {
  const process = identity && { start_time: identity.startTime, boot_id: identity.bootId };
  return { pid, started_at: startedAt, ...process, ...build };
}

/** A lock that is free while its holder lives: the file that was locked has been removed. */
function isRecordedHolderAlive({ pidFile, pid }: LockOptions): boolean {
  const { pid: holder, start_time: startTime, boot_id: bootId } = readRecordFields(pidFile);
  if (!Number.isSafeInteger(holder) || holder === pid) return false;
  if (typeof startTime !== "string" || typeof bootId !== "string") return false;
  return findByIdentity({ pid: holder as number, startTime, bootId }) !== undefined;
}

/** The record as it was last written; undefined where there is none, or none that makes sense. */
export function readPidRecord(pidFile: string): PidRecord | undefined {
  const { pid, started_at } = readRecordFields(pidFile);
  if (!Number.isSafeInteger(pid) || (pid as number) <= 0 || typeof started_at !== "string") return undefined;
  return { pid: pid as number, started_at };
}

function readRecordFields(pidFile: string): Partial<Record<keyof PidRecord, unknown>> {
  try {
    return (JSON.parse(readFileSync(pidFile, "utf8")) as Partial<Record<keyof PidRecord, unknown>> | null) ?? {};
  } catch {
    return {};
  }
}

/** Undefined: somebody else holds it. A rollback journal, since in WAL mode an exclusive transaction keeps nobody from opening. */
function lockedDatabase({ lockFile, waitMs }: LockOptions): Database.Database | undefined {
  let database: Database.Database | undefined;
  try {
    database = new Database(lockFile, { timeout: waitMs });
    chmodSync(lockFile, 0o600);
    database.pragma("journal_mode = DELETE");
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (cause) {
    database?.close();
    if (cause instanceof Database.SqliteError && /^SQLITE_(?:BUSY|LOCKED)/u.test(cause.code)) return undefined;
    throw new Error(`${lockFile} cannot be locked`, { cause });
  }
}

function heldBy(pidFile: string): AcquiredLock {
  const holder = readPidRecord(pidFile);
  const who = holder === undefined ? "another agentd" : `agentd with pid ${holder.pid}, since ${holder.started_at},`;
  return { ok: false, holder, message: `${who} holds this state directory; \`mix agent stop\` ends it` };
}

function makeLock(database: Database.Database, { lockFile, pidFile }: LockOptions): InstanceLock {
  const files = trackFiles([lockFile]);
  const release = (): void => {
    if (!database.open) return;
    // While the lock is still held: a moment later the file may be the next holder's, as it may be without the lock file.
    if (files.changed().length === 0) rmSync(pidFile, { force: true });
    database.close();
  };
  return { release, [Symbol.dispose]: release };
}

/** Whole or not at all, for those who read it meanwhile. */
function writePidRecord(pidFile: string, record: PidRecord): void {
  const temporary = `${pidFile}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(temporary, pidFile);
}
