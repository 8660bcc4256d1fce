// SPDX-License-Identifier: MIT OR Apache-2.0
// The process table of this machine, shared by the code that starts, watches and ends processes.
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
  /** Scans all processes, beginning after this call. See ProcessScanner.scan. */
  scan(marker?: Marker): Promise<ProcessSnapshot>;
}

let shared: ProcessTable | undefined;

/** Returns the table that this whole process shares, so that concurrent callers share a scan. */
export function processTable(): ProcessTable {
  shared ??= createProcessTable(process.platform === "linux" ? procSource() : psSource());
  return shared;
}

export function createProcessTable(source: ProcessSource): ProcessTable {
  const scanner = new ProcessScanner(source);
  return { ...source, scan: (marker) => scanner.scan(marker) };
}

/**
 * Whether a process of the tree continues an agent whose first process has exited, by holding the agent's stdin and
 * stdout (`pipes`). If these are unknown because a wrapper exited too soon, any process on two pipes counts. On systems
 * where pipes cannot be read, every process of the tree counts.
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
