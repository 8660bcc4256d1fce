// SPDX-License-Identifier: MIT OR Apache-2.0
// The processes of this machine, for all who start, watch and end trees of them.
import { ProcessScanner, type ProcessSnapshot } from "./process-scan.ts";
import {
  procSource,
  psSource,
  type Marker,
  type ProcessSource,
  type ProcessRow,
  type ProcessStdio,
} from "./process-source.ts";

export interface ProcessTable extends Pick<ProcessSource, "bootId" | "read" | "stdio" | "canReadStdio"> {
  /**
   * All processes. The look begins after the call, so it shows the effect of every signal sent before; everybody who asks
   * before it begins gets the same one. See ProcessScanner for how often that is, and for `marker`.
   */
  scan(marker?: Marker): Promise<ProcessSnapshot>;
}

let shared: ProcessTable | undefined;

/** The one of this process, so that all who ask at the same time share a look. */
export function processTable(): ProcessTable {
  shared ??= createProcessTable(process.platform === "linux" ? procSource() : psSource());
  return shared;
}

export function createProcessTable(source: ProcessSource): ProcessTable {
  const scanner = new ProcessScanner(source);
  return {
    bootId: source.bootId,
    read: (pid) => source.read(pid),
    stdio: (pid) => source.stdio(pid),
    canReadStdio: source.canReadStdio,
    scan: (marker) => scanner.scan(marker),
  };
}

/**
 * Whether a process of the tree goes on for an agent whose first process has exited: its stdin and its stdout are
 * the agent's `pipes`. These are unknown when the first process, then a mere wrapper, was gone before it could be
 * looked at: then whoever reads and writes through pipes counts, and where pipes cannot be seen, everyone.
 */
export function isSuccessor(row: ProcessRow, pipes: ProcessStdio | undefined, table: ProcessTable): boolean {
  if (!table.canReadStdio) return true;
  const held = table.stdio(row.pid);
  if (held === undefined) return false;
  if (pipes === undefined) return isPipe(held.stdin) && isPipe(held.stdout);
  return held.stdin === pipes.stdin && held.stdout === pipes.stdout;
}

function isPipe(name: string): boolean {
  return name.startsWith("socket:") || name.startsWith("pipe:");
}
