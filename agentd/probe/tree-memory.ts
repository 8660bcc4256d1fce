// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync } from "node:fs";
import type { ProcessIdentity } from "../../acp-client/process/process-identity.ts";
import type { Marker } from "../../acp-client/process/process-source.ts";
import { processTable } from "../../acp-client/process/process-table.ts";
import { findTree } from "../../acp-client/process/process-tree.ts";
import { attempt } from "../../files/attempt.ts";

export interface TreeMemory {
  readonly processes: number;
  /** Resident memory, with pages that processes share counted for each. Undefined where /proc does not say it. */
  readonly bytes: number | undefined;
}

/** Measures the processes of an agent and all that it has started. */
export async function measureTree(identity: ProcessIdentity | undefined, marker: Marker): Promise<TreeMemory> {
  const rows = findTree({ identity, marker }, await processTable().scan(marker));
  const sizes = rows.map(({ pid }) => residentBytes(pid)).filter((bytes) => bytes !== undefined);
  return { processes: rows.length, bytes: sizes.length === 0 ? undefined : sizes.reduce((sum, size) => sum + size, 0) };
}

function residentBytes(pid: number): number | undefined {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, "utf8"));
  const kilobytes = /^VmRSS:\s+(\d+) kB$/mu.exec(status ?? "")?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
