// SPDX-License-Identifier: MIT OR Apache-2.0
import { processTable } from "../../../acp-client/process/process-table.ts";
import type { ProcessTable } from "../../../acp-client/process/process-table.ts";
import {
  endTree,
  findTree,
  identitiesOf,
  signalProcesses,
  waitUntilGone,
} from "../../../acp-client/process/process-tree.ts";
import type { EndedTree, TreeSeed } from "../../../acp-client/process/process-tree.ts";

export interface GracefulEndLimits {
  /** From TERM to KILL. */
  readonly termGraceMs: number;
  /** How long the killed may take to be gone. */
  readonly killWaitMs: number;
}

/**
 * Sends TERM to every process of the tree, and after `termGraceMs` freezes and kills what is left of it. Unlike an agent,
 * whose tools are its own business, a command whose first process is gone is asked too: that is where servers live.
 */
export async function endTreeGracefully(
  seed: TreeSeed,
  limits: GracefulEndLimits,
  table: ProcessTable = processTable(),
): Promise<EndedTree> {
  const rows = findTree(seed, await table.scan(seed.marker));
  // Remembered while parents still live: afterwards an orphan with an environment of its own has nothing to be known by.
  const known = [...(seed.known ?? []), ...identitiesOf(rows, table)];
  await signalProcesses(rows, "SIGTERM", table);
  await waitUntilGone(rows, limits.termGraceMs, table);
  return await endTree({ ...seed, known }, limits, table);
}
