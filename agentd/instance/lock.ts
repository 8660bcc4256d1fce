// SPDX-License-Identifier: MIT OR Apache-2.0
// Allows one agentd per state directory by a file lock, and records its holder.
import { rmSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { findByIdentity } from "../../acp-client/process/process-identity.ts";
import { takeFileLock } from "../../files/file-lock.ts";
import type { Build } from "../../files/installed-build.ts";
import { readRegularFile } from "../../files/read-regular-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { trackFiles } from "../../files/tracked-files.ts";

export interface InstanceLock {
  /** Releases the lock and removes the pid record. Idempotent. */
  release(): void;
  [Symbol.dispose](): void;
}

/** The holder of the lock, for people and `mix agent stop`. Decides nothing unless the lock file was removed. */
export interface PidRecord {
  readonly pid: number;
  readonly started_at: string;
  /** The build that runs, for command lines of another build; absent from agentd 0.1.0 and earlier. */
  readonly version?: string;
  readonly build?: string;
  /** With boot_id, tells this process from a later one with the same pid; absent where the system does not tell. */
  readonly start_time?: string;
  readonly boot_id?: string;
}

export type AcquiredLock =
  | { readonly ok: true; readonly lock: InstanceLock }
  /** The holder is undefined if it has not written its record yet. */
  | { readonly ok: false; readonly holder: PidRecord | undefined; readonly message: string };

export interface LockOptions {
  readonly lockFile: string;
  readonly pidFile: string;
  readonly pid: number;
  /** The identity of process `pid`. */
  readonly identity?: { readonly startTime: string; readonly bootId: string } | undefined;
  /** UTC, RFC 3339. */
  readonly startedAt: string;
  readonly build: Build;
  /** How long to retry: when several start at once, their attempts must not make all of them fail. */
  readonly waitMs: number;
}

/**
 * Takes the lock, or returns its holder. Throws if the file cannot be created or locked. Nothing else in this process
 * may open the lock file: closing it would release the POSIX lock.
 */
export function acquireInstanceLock(options: LockOptions): AcquiredLock {
  const database = lockedDatabase(options);
  if (database === undefined) return heldBy(options.pidFile);
  if (isRecordedHolderAlive(options)) {
    database.close();
    return heldBy(options.pidFile);
  }
  try {
    replaceFile(options.pidFile, `${JSON.stringify(recordOf(options))}\n`);
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

/** Whether the recorded holder still runs although the lock is free: its lock file was removed. */
function isRecordedHolderAlive({ pidFile, pid }: LockOptions): boolean {
  const holder = findRecordedHolder(pidFile);
  return holder !== undefined && holder !== pid;
}

/** Returns the pid of the recorded holder, if that process still runs and the system tells it from others. */
export function findRecordedHolder(pidFile: string): number | undefined {
  const { pid, start_time: startTime, boot_id: bootId } = readRecordFields(pidFile);
  if (!Number.isSafeInteger(pid) || typeof startTime !== "string" || typeof bootId !== "string") return undefined;
  return findByIdentity({ pid: pid as number, startTime, bootId })?.pid;
}

/** Undefined if there is no valid record. */
export function readPidRecord(pidFile: string): PidRecord | undefined {
  const { pid, started_at } = readRecordFields(pidFile);
  if (!Number.isSafeInteger(pid) || (pid as number) <= 0 || typeof started_at !== "string") return undefined;
  return { pid: pid as number, started_at };
}

const recordBytesMax = 64 * 1024;

function readRecordFields(pidFile: string): Partial<Record<keyof PidRecord, unknown>> {
  try {
    const text = readRegularFile(pidFile, recordBytesMax).toString("utf8");
    return (JSON.parse(text) as Partial<Record<keyof PidRecord, unknown>> | null) ?? {};
  } catch {
    return {};
  }
}

function lockedDatabase({ lockFile, waitMs }: LockOptions): Database | undefined {
  try {
    return takeFileLock(lockFile, waitMs);
  } catch (cause) {
    throw new Error(`${lockFile} cannot be locked`, { cause });
  }
}

function heldBy(pidFile: string): AcquiredLock {
  const holder = readPidRecord(pidFile);
  const who = holder === undefined ? "another agentd" : `agentd with pid ${holder.pid}, since ${holder.started_at},`;
  return { ok: false, holder, message: `${who} holds this state directory; \`mix agent stop\` ends it` };
}

function makeLock(database: Database, { lockFile, pidFile }: LockOptions): InstanceLock {
  const files = trackFiles([lockFile]);
  const release = (): void => {
    if (!database.open) return;
    // Removed before the unlock, after which it may be the next holder's; likewise if the lock file was removed.
    if (files.changed().length === 0) rmSync(pidFile, { force: true });
    database.close();
  };
  return { release, [Symbol.dispose]: release };
}
