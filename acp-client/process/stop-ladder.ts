// SPDX-License-Identifier: MIT OR Apache-2.0
// The stop ladder: closes the agent's stdin, then sends SIGTERM to its process group, then kills its whole tree.
import type { ProcessIdentity } from "./process-identity.ts";
import { processTable, type ProcessTable } from "./process-table.ts";
import { endTree, findTree, identitiesOf, signalProcesses, type EndedTree, type TreeSeed } from "./process-tree.ts";

export interface StopLimits {
  /** Time from closing stdin to SIGTERM. */
  readonly stdinGraceMs: number;
  /** Time from SIGTERM to killing the whole tree. */
  readonly termGraceMs: number;
  /** How long to wait for killed processes to exit. */
  readonly killWaitMs: number;
}

export const stopLimits: StopLimits = { stdinGraceMs: 8000, termGraceMs: 3000, killWaitMs: 5000 };

export interface Stoppable {
  readonly seed: TreeSeed;
  closeStdin(): void;
  /** Resolves when the agent itself has ended, whether or not others of its tree still run. */
  readonly over: Promise<void>;
}

/** Runs the steps in order. Kills the rest of the tree even if the agent exits at the first step. */
export async function runStopLadder(
  agent: Stoppable,
  limits: StopLimits = stopLimits,
  table: ProcessTable = processTable(),
): Promise<EndedTree> {
  // Recorded while the parents live: later, an orphan with a cleaned environment could not be found.
  const found = findTree(agent.seed, await table.scan(agent.seed.marker));
  const known = [...(agent.seed.known ?? []), ...identitiesOf(found, table)];
  const seed: TreeSeed = { ...agent.seed, known };
  agent.closeStdin();
  if (!(await settlesWithin(agent.over, limits.stdinGraceMs))) {
    await signalGroup(seed.identity, "SIGTERM", table);
    await settlesWithin(agent.over, limits.termGraceMs);
  }
  return await endTree(seed, limits, table);
}

/** Whether the promise settles within `limitMs`. A limit that is not positive means no wait. */
export async function settlesWithin(event: Promise<unknown>, limitMs: number): Promise<boolean> {
  const timerMsMax = 2 ** 31 - 1; // Node fires longer timers at once
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, Math.min(limitMs, timerMsMax), false);
  });
  try {
    return await Promise.race([event.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Signals the agent's process group. Tools in groups of their own are killed later, with the tree. */
async function signalGroup(
  identity: ProcessIdentity | undefined,
  signal: NodeJS.Signals,
  table: ProcessTable,
): Promise<void> {
  const members = findTree({ identity }, await table.scan()).filter((row) => row.group === identity?.pid);
  await signalProcesses(members, signal, table);
}
