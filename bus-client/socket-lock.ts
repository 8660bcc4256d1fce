// SPDX-License-Identifier: MIT OR Apache-2.0
// Serialises the replacement of a stale socket. Without a lock, another process could start to listen between the check
// and the removal, and its new socket would be removed. The lock is a file beside the socket that names its holder, so
// that the lock of a killed process can be broken.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { attempt } from "../files/attempt.ts";
import { readRegularFile } from "../files/read-regular-file.ts";
import { BusError } from "./bus-error.ts";

export interface SocketLockOptions {
  /** Returns numbers in [0, 1). */
  readonly random?: () => number;
  /** Default `/proc`. */
  readonly proc?: string;
  /** How long to wait for a held lock. Default 5 s. */
  readonly waitMs?: number;
}

/**
 * Runs `act` while holding the lock of this socket, whose directory must exist. Throws BusError ADDRESS_IN_USE if another
 * process holds the lock for longer than `waitMs`, and LISTEN_FAILED if the file cannot be created.
 */
export async function withSocketLock<T>(
  socketPath: string,
  act: () => Promise<T>,
  { random = Math.random, proc = "/proc", waitMs = lockWaitMs }: SocketLockOptions = {},
): Promise<T> {
  const lock: Lock = { file: `${socketPath}.lock`, random, proc };
  const record = JSON.stringify({ pid: process.pid, start: startTimeOf(process.pid, proc), nonce: random() });
  const deadline = performance.now() + waitMs;
  while (!tryAcquire(lock, record)) {
    if (performance.now() > deadline) throw new BusError("ADDRESS_IN_USE", `another process holds ${lock.file}`);
    await wait(pollMs);
  }
  try {
    return await act();
  } finally {
    if (readRecord(lock.file) === record) rmSync(lock.file, { force: true });
  }
}

/** Probing a socket, the longest act under the lock, takes at most a second. */
const lockWaitMs = 5_000;
const pollMs = 20;

interface Lock extends Required<Pick<SocketLockOptions, "random" | "proc">> {
  readonly file: string;
}

function tryAcquire(lock: Lock, record: string): boolean {
  const own = temporaryName(lock);
  try {
    // Linking a complete file makes the lock appear atomically: a half-written one would name no holder.
    writeFileSync(own, record, { flag: "wx", mode: 0o600 });
    linkSync(own, lock.file);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") {
      throw new BusError("LISTEN_FAILED", `cannot create ${lock.file}: ${(cause as Error).message}`, { cause });
    }
    const holder = readRecord(lock.file);
    if (holder !== undefined && !isHolderAlive(holder, lock.proc)) breakStaleLock(lock, holder);
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Moves a dead holder's lock away. If another process has acquired the lock meanwhile, puts it back. */
function breakStaleLock(lock: Lock, holder: string): void {
  const aside = temporaryName(lock);
  try {
    renameSync(lock.file, aside);
    if (readRecord(aside) !== holder) linkSync(aside, lock.file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "EEXIST") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function temporaryName({ file, random }: Lock): string {
  return `${file}.${process.pid}-${Math.floor(random() * 2 ** 48).toString(36)}`;
}

const recordBytesMax = 4096;

function readRecord(file: string): string | undefined {
  return attempt(() => readRegularFile(file, recordBytesMax).toString("utf8"));
}

/** Compares pid and start time, since a pid may have been reused. An unreadable record has no living holder. */
function isHolderAlive(record: string, proc: string): boolean {
  try {
    const { pid, start } = JSON.parse(record) as { readonly pid: unknown; readonly start: unknown };
    return typeof pid === "number" && typeof start === "string" && startTimeOf(pid, proc) === start;
  } catch {
    return false;
  }
}

/** Returns the process's start time in clock ticks since boot; undefined if there is no such process. */
function startTimeOf(pid: number, proc: string): string | undefined {
  const stat = attempt(() => readFileSync(`${proc}/${pid}/stat`, "utf8"));
  // The second field is the program's name in parentheses, which may contain spaces and parentheses.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}
