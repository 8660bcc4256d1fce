// SPDX-License-Identifier: MIT OR Apache-2.0
// Identifies a process. Pids are reused, but a pid with its start time and boot is unique.
import type { ProcessRow } from "./process-source.ts";
import { processTable, type ProcessTable } from "./process-table.ts";

export interface ProcessIdentity {
  /** The boot that start times are counted from. Empty if the system has no boot id. */
  readonly bootId: string;
  readonly pid: number;
  /** On Linux clock ticks since boot (field 22 of /proc/<pid>/stat), elsewhere the output of `ps -o lstart`. */
  readonly startTime: string;
}

/** Returns undefined if the process no longer exists. */
export function identityOf(pid: number, table: ProcessTable = processTable()): ProcessIdentity | undefined {
  const row = table.read(pid);
  return row && { bootId: table.bootId, pid, startTime: row.startTime };
}

/** Finds a recorded process. Returns undefined if it has exited, is a zombie, or if the pid or boot is another. */
export function findByIdentity(
  identity: ProcessIdentity,
  table: ProcessTable = processTable(),
): ProcessRow | undefined {
  if (identity.bootId !== table.bootId) return undefined;
  const row = table.read(identity.pid);
  return row !== undefined && !row.zombie && row.startTime === identity.startTime ? row : undefined;
}

export function sameProcess(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.startTime === other.startTime && one.bootId === other.bootId;
}
