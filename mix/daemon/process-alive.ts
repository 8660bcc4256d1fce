// SPDX-License-Identifier: MIT OR Apache-2.0
// Whether a process still runs, told apart from another one that got its number.
import { readFileSync } from "node:fs";

/** The kernel's own start time of a process, or undefined where it cannot be read (elsewhere than on Linux, too). */
export function startTimeOf(pid: number): string | undefined {
  return statFields(pid)?.[19];
}

/** Of this boot of the machine, from which start times are counted; undefined elsewhere than on Linux. */
export function currentBootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined;
  }
}

/** The letter that the kernel has for what it does: `T` where a signal stopped it. */
export function processState(pid: number): string | undefined {
  return statFields(pid)?.[0];
}

/** A process that ended and was not yet collected by its parent runs no more. */
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

// From the state (field 3) on: the name before it may hold spaces and brackets, so it is cut at the last bracket.
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
