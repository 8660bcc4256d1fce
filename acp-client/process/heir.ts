// SPDX-License-Identifier: MIT OR Apache-2.0
import type { ProcessRow, ProcessStdio } from "./process-source.ts";
import type { ProcessTable } from "./process-table.ts";

/**
 * Whether a process of the tree goes on for an agent whose first process has exited: its stdin and its stdout are
 * the agent's `pipes`. These are unknown when the first process, then a mere wrapper, was gone before it could be
 * looked at: then whoever reads and writes through pipes counts, and where pipes cannot be seen, everyone.
 */
export function isHeir(row: ProcessRow, pipes: ProcessStdio | undefined, table: ProcessTable): boolean {
  if (!table.seesStdio) return true;
  const held = table.stdio(row.pid);
  if (held === undefined) return false;
  if (pipes === undefined) return isPipe(held.stdin) && isPipe(held.stdout);
  return held.stdin === pipes.stdin && held.stdout === pipes.stdout;
}

function isPipe(name: string): boolean {
  return name.startsWith("socket:") || name.startsWith("pipe:");
}
