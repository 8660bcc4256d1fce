// SPDX-License-Identifier: MIT OR Apache-2.0
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

export interface MarkedProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * Every process whose environment has this marker (`NAME=value`), wherever it stands in the process tree now: children
 * inherit the environment, and keep it in a process group of their own or when their parent has died. Linux only.
 */
export async function markedProcesses(marker: string): Promise<MarkedProcess[]> {
  const found: MarkedProcess[] = [];
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const environment = await readFile(`/proc/${entry}/environ`, "utf8").catch(() => "");
    if (!environment.split("\0").includes(marker)) continue;
    const command = await readFile(`/proc/${entry}/cmdline`, "utf8").catch(() => "");
    found.push({ pid: Number(entry), command: command.replaceAll("\0", " ").trim() });
  }
  return found;
}

/** What is left of them at the deadline: empty as soon as all are gone. Looks, since nothing tells when they end. */
export async function remainingProcesses(marker: string, deadlineMs: number): Promise<MarkedProcess[]> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const remaining = await markedProcesses(marker);
    if (remaining.length === 0 || performance.now() >= deadline) return remaining;
    await delay(lookAgainMs);
  }
}

const lookAgainMs = 50;

export function killMarked(processes: readonly MarkedProcess[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (failure) {
      if ((failure as NodeJS.ErrnoException).code !== "ESRCH") throw failure;
    }
  }
}
