// SPDX-License-Identifier: MIT OR Apache-2.0
// Ends processes that a test started indirectly: a daemon is nobody's child, and may come up after its test has ended.
// Linux only.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/**
 * Sends SIGTERM to every process with NAME=value in its environment, SIGKILL once `isLate`, and waits until all are
 * gone.
 */
export async function endProcessesWith(name: string, value: string, isLate = after(5_000)): Promise<void> {
  const asked = new Set<number>();
  for (let pids = pidsWith(name, value); pids.length > 0; pids = pidsWith(name, value)) {
    for (const pid of pids) {
      if (!asked.has(pid)) signal(pid, "SIGTERM");
      else if (isLate()) signal(pid, "SIGKILL");
      asked.add(pid);
    }
    await setTimeout(pollMs);
  }
}

function after(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() >= end;
}

const pollMs = 5;

/** A zombie does not count, as its environment is empty. */
export function pidsWith(name: string, value: string): number[] {
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  return pids.filter((pid) => environmentOf(pid).includes(`${name}=${value}`)).map(Number);
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return []; // The process is gone, or another user's.
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}
