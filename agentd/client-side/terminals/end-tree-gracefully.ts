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
  /** From SIGTERM to SIGKILL. */
  readonly termGraceMs: number;
  /** How long to wait for killed processes to disappear. */
  readonly killWaitMs: number;
}

/**
 * Sends SIGTERM to every process of the tree, then freezes and kills what is left after `termGraceMs`. Unlike with an
 * agent, whose tools are its own business, every process gets SIGTERM even if the first is gone: servers run so.
 */
export async function endTreeGracefully(
  seed: TreeSeed,
  limits: GracefulEndLimits,
  table: ProcessTable = processTable(),
): Promise<EndedTree> {
  const rows = findTree(seed, await table.scan(seed.marker));
  // Recorded while parents still run: later nothing identifies an orphan with an environment of its own.
  const known = [...(seed.known ?? []), ...identitiesOf(rows, table)];
  await signalProcesses(rows, "SIGTERM", table);
  await waitUntilGone(rows, limits.termGraceMs, table);
  return await endTree({ ...seed, known }, limits, table);
}
