// SPDX-License-Identifier: MIT OR Apache-2.0
// What runs of an agent, looked up apart from agentd's own search, so that the one proves the other. Linux only.
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

export interface SeenProcess {
  readonly pid: number;
  /** Clock ticks since boot: with it the pid means this one process. */
  readonly startTime: string;
  readonly command: string;
}

/** How the processes of one agent are known. */
export interface Trace {
  /** `NAME=value` in their environment: children inherit it, and keep it in another group or when their parent is dead. */
  readonly marker: string;
  /** Where their tree begins, for children whose environment was emptied. */
  readonly root?: number | undefined;
}

/** Those with the marker, the root, and whatever descends from one of them now. */
export async function agentProcesses({ marker, root }: Trace): Promise<SeenProcess[]> {
  const rows = await readRows();
  const found = new Set(rows.filter(({ pid, environment }) => pid === root || environment.includes(marker)));
  // A set is walked in order of insertion, members added on the way included.
  for (const { pid } of found) for (const row of rows) if (row.parent === pid) found.add(row);
  return [...found].map(({ pid, startTime, command }) => ({ pid, startTime, command }));
}

/**
 * What is left at the deadline of those that were seen earlier, and of whatever bears the marker: empty as soon as all
 * are gone. Looks, since nothing tells when they end.
 */
export async function remainingProcesses(
  marker: string,
  seen: readonly SeenProcess[],
  deadlineMs: number,
): Promise<SeenProcess[]> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const rows = await readRows();
    const remaining = rows.filter(
      (row) =>
        row.environment.includes(marker) ||
        seen.some(({ pid, startTime }) => row.pid === pid && row.startTime === startTime),
    );
    if (remaining.length === 0 || performance.now() >= deadline) {
      return remaining.map(({ pid, startTime, command }) => ({ pid, startTime, command }));
    }
    await delay(lookAgainMs);
  }
}

const lookAgainMs = 50;

export function killProcesses(processes: readonly SeenProcess[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (failure) {
      if ((failure as NodeJS.ErrnoException).code !== "ESRCH") throw failure;
    }
  }
}

interface ProcessRow extends SeenProcess {
  readonly parent: number;
  readonly environment: readonly string[];
}

async function readRows(): Promise<ProcessRow[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const rows = await Promise.all(pids.map((pid) => readRow(Number(pid))));
  return rows.filter((row) => row !== undefined);
}

/** Undefined when it has gone meanwhile, or is dead and only waits for its parent to notice. */
async function readRow(pid: number): Promise<ProcessRow | undefined> {
  const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
  const [stat, environment, command] = await Promise.all([read("stat"), read("environ"), read("cmdline")]);
  // The name in the second field may hold spaces and parentheses.
  const [state, parent, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const startTime = fields[17];
  if (startTime === undefined || state === "Z" || state === "X") return undefined;
  return {
    pid,
    parent: Number(parent),
    startTime,
    environment: environment.split("\0"),
    command: command.replaceAll("\0", " ").trim(),
  };
}
