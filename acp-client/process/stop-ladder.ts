// SPDX-License-Identifier: MIT OR Apache-2.0
// How an agent is brought to an end: politely first, then its process group, then everything that came out of it.
import type { ProcessIdentity } from "./process-identity.ts";
import { processTable } from "./process-table.ts";
import type { ProcessTable } from "./process-table.ts";
import { endTree, findTree, identitiesOf, signalProcesses } from "./process-tree.ts";
import type { EndedTree, TreeSeed } from "./process-tree.ts";

export interface StopLimits {
  /** From closing stdin to TERM. */
  readonly stdinGraceMs: number;
  /** From TERM to KILL of the whole tree. */
  readonly termGraceMs: number;
  /** How long the killed may take to be gone. */
  readonly killWaitMs: number;
}

export const stopLimits: StopLimits = { stdinGraceMs: 8000, termGraceMs: 3000, killWaitMs: 5000 };

export interface Stoppable {
  readonly seed: TreeSeed;
  closeStdin(): void;
  /** Resolves when the agent itself is over, whatever else of its tree may live. */
  readonly over: Promise<void>;
}

/**
 * Closes stdin; after `stdinGraceMs` sends TERM to the process group; after `termGraceMs` kills. Also when the agent
 * left at the first step the rest of its tree is hunted. Agents that stop at the same time do so in parallel.
 */
export async function runStopLadder(
  agent: Stoppable,
  limits: StopLimits = stopLimits,
  table: ProcessTable = processTable(),
): Promise<EndedTree> {
  // Remembered while parents still live: afterwards an orphan with an environment of its own has nothing to be known by.
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

/** Whether the promise settled before the time was over. No time, or nonsense for one, is no wait. */
export async function settlesWithin(event: Promise<unknown>, limitMs: number): Promise<boolean> {
  const timerMsMax = 2 ** 31 - 1; // above it a timer of Node fires at once
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

/** Tools in process groups of their own are not asked: what is left of them is killed with the tree. */
async function signalGroup(
  identity: ProcessIdentity | undefined,
  signal: NodeJS.Signals,
  table: ProcessTable,
): Promise<void> {
  const members = findTree({ identity }, await table.scan()).filter((row) => row.group === identity?.pid);
  await signalProcesses(members, signal, table);
}
