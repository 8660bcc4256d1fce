// SPDX-License-Identifier: MIT OR Apache-2.0
// Tells whether a process still runs, and not another one that reuses its pid.
import { readFileSync } from "node:fs";

/**
 * The kernel's start time of a process in clock ticks since boot; undefined if unreadable and on other systems than
 * Linux.
 */
export function startTimeOf(pid: number): string | undefined {
  return statFields(pid)?.[19];
}

/** Identifies this boot of the machine, since which start times are counted. Undefined on other systems than Linux. */
export function currentBootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined;
  }
}

/** The kernel's letter for the process state: `T` means stopped by a signal. */
export function processState(pid: number): string | undefined {
  return statFields(pid)?.[0];
}

/** A zombie, which has exited and whose parent has not waited for it yet, does not count as running. */
export function isRunning(pid: number, startTime: string | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const fields = statFields(pid);
  if (fields === undefined) return true;
  return fields[0] !== "Z" && (startTime === undefined || fields[19] === startTime);
}

// Fields from the state (field 3) on. The program's name before it may hold spaces and brackets: cut at the last
// bracket.
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
