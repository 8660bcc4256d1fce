// SPDX-License-Identifier: MIT OR Apache-2.0
// Who may put a socket in the place of a stale one: between the look that finds nobody behind it and the removal another
// process could begin to listen there, and its new socket would be the one that is removed. A file beside the socket is
// the lock. It names its holder, so that one which was killed meanwhile holds up nobody.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { BusError } from "./bus-error.ts";

export interface SocketLockOptions {
  /** From 0 up to 1. */
  readonly random?: () => number;
  /** Default `/proc`. */
  readonly proc?: string;
  /** How long a lock that is held is waited for. */
  readonly waitMs?: number;
}

/**
 * Runs `act` while nobody else does for this socket, whose directory must be there. Throws BusError ADDRESS_IN_USE where
 * another process holds the lock for longer than 5 s, and LISTEN_FAILED where the file cannot be made.
 */
export async function underSocketLock<T>(
  socketPath: string,
  act: () => Promise<T>,
  { random = Math.random, proc = "/proc", waitMs = lockWaitMs }: SocketLockOptions = {},
): Promise<T> {
  const lock: Lock = { file: `${socketPath}.lock`, random, proc };
  const record = JSON.stringify({ pid: process.pid, start: startOf(process.pid, proc), nonce: random() });
  const deadline = performance.now() + waitMs;
  while (!taken(lock, record)) {
    if (performance.now() > deadline) throw new BusError("ADDRESS_IN_USE", `another process holds ${lock.file}`);
    await wait(pollMs);
  }
  try {
    return await act();
  } finally {
    if (contentOf(lock.file) === record) rmSync(lock.file, { force: true });
  }
}

/** A look at a socket takes a second at most. */
const lockWaitMs = 5_000;
const pollMs = 20;

interface Lock extends Required<Pick<SocketLockOptions, "random" | "proc">> {
  readonly file: string;
}

function taken(lock: Lock, record: string): boolean {
  const own = beside(lock);
  try {
    // Whole when it appears: a lock that was half written would name nobody.
    writeFileSync(own, record, { flag: "wx", mode: 0o600 });
    linkSync(own, lock.file);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") {
      throw new BusError("LISTEN_FAILED", `${lock.file} cannot be made: ${(cause as Error).message}`, { cause });
    }
    const holder = contentOf(lock.file);
    if (holder !== undefined && !lives(holder, lock.proc)) setAside(lock, holder);
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Another may have done the same and hold the lock by now: then it is put back. */
function setAside(lock: Lock, holder: string): void {
  const aside = beside(lock);
  try {
    renameSync(lock.file, aside);
    if (contentOf(aside) !== holder) linkSync(aside, lock.file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "EEXIST") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function beside({ file, random }: Lock): string {
  return `${file}.${process.pid}-${Math.floor(random() * 2 ** 48).toString(36)}`;
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** By pid and start time: a pid alone may be somebody else's by now. What names nobody is nobody's. */
function lives(record: string, proc: string): boolean {
  try {
    const { pid, start } = JSON.parse(record) as { readonly pid: unknown; readonly start: unknown };
    return typeof pid === "number" && typeof start === "string" && startOf(pid, proc) === start;
  } catch {
    return false;
  }
}

/** Clock ticks from the machine's start to the process's; undefined where there is none. */
function startOf(pid: number, proc: string): string | undefined {
  const stat = contentOf(`${proc}/${pid}/stat`);
  // The second field is the program's name, which may hold anything.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}
