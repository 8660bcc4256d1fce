// SPDX-License-Identifier: MIT OR Apache-2.0
// Ends what a test has started by way of others: a daemon is nobody's child, and may come up after its test is over.
// Linux only.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/**
 * Every process with NAME=value in its environment is asked to end, killed once `isLate`, and gone when this resolves.
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

/** The environment of one that ended and is not collected yet is empty. */
export function pidsWith(name: string, value: string): number[] {
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  return pids.filter((pid) => environmentOf(pid).includes(`${name}=${value}`)).map(Number);
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return []; // gone, or another user's
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself.
  }
}
