// SPDX-License-Identifier: MIT OR Apache-2.0
// Which process a number means. A pid alone is reused; with its start time and the boot it is not.
import type { ProcessRow } from "./process-source.ts";
import { processTable } from "./process-table.ts";
import type { ProcessTable } from "./process-table.ts";

export interface ProcessIdentity {
  /** One boot of the kernel, since start times are counted from it. Empty where the system has no such id. */
  readonly bootId: string;
  readonly pid: number;
  /** Clock ticks since boot on Linux (field 22 of /proc/<pid>/stat), the text of `ps -o lstart` elsewhere. */
  readonly startTime: string;
}

/** Undefined when there is no such process any more. */
export function identityOf(pid: number, table: ProcessTable = processTable()): ProcessIdentity | undefined {
  const row = table.read(pid);
  return row && { bootId: table.bootId, pid, startTime: row.startTime };
}

/** The living process that was recorded so; undefined when it is gone, a zombie, of another boot, or its pid reused. */
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
