// SPDX-License-Identifier: MIT OR Apache-2.0
// All processes that came out of one agent: by parent, by process group and session, and by the marker in their
// environment. What escapes all three is an orphan that cleaned its environment and made a session of its own.
import { setImmediate, setTimeout } from "node:timers/promises";
import { sameProcess } from "./process-identity.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { processTable } from "./process-table.ts";
import type { Marker, ProcessRow, ProcessTable } from "./process-table.ts";

/** What is known of a tree. After a crash of ours that is the recorded identity and the marker, or one of them. */
export interface TreeSeed {
  /** Its root, which leads a process group and a session of its own. It may be dead. */
  readonly identity?: ProcessIdentity | undefined;
  readonly marker?: Marker | undefined;
  /** Members seen earlier, whose parents may have died since. */
  readonly known?: readonly ProcessIdentity[];
}

export interface EndTreeLimits {
  /** How long the killed may take to be gone. */
  readonly killWaitMs: number;
}

export interface EndedTree {
  readonly killed: number;
  /** What would not die in time (uninterruptible in the kernel) or may not be signalled by us. */
  readonly left: number;
}

/**
 * Kills the whole tree, without a chance to fork away: all found are stopped, and looked for again until no new one
 * appears, and only then killed. Each signal goes out only if the pid still has the start time that was seen. Never
 * touches our own process or process group. Costs one or two scans of the process table (5-20 ms each).
 */
export async function endTree(
  seed: TreeSeed,
  limits: EndTreeLimits = { killWaitMs: 5000 },
  table: ProcessTable = processTable(),
): Promise<EndedTree> {
  const roundsMax = 20;
  const caught = new Map<string, ProcessRow>();
  for (let round = 0; round < roundsMax; round += 1) {
    const known = [...(seed.known ?? []), ...identitiesOf(caught.values(), table)];
    const fresh = findTree({ ...seed, known }, table).filter((row) => !caught.has(keyOf(row)));
    if (fresh.length === 0) break;
    await freezeAndKill(fresh, { ...seed, known }, caught, table);
    await untilGone(caught.values(), limits.killWaitMs, table);
  }
  const left = [...caught.values()].filter((row) => isAlive(row, table)).length;
  return { killed: caught.size - left, left };
}

/** The living members of the tree that may be signalled: never we, nor our process group, nor process 1. */
export function findTree(seed: TreeSeed, table: ProcessTable = processTable(), self = process.pid): ProcessRow[] {
  const all = table.list();
  const ownGroup = all.find((row) => row.pid === self)?.group;
  const rows = all.filter((row) => row.pid > 1 && row.pid !== self && row.group !== ownGroup && !row.zombie);
  const led = ledBy(seed.identity, all, table);
  const known = seed.known ?? [];
  const isSeed = (row: ProcessRow): boolean =>
    led(row) ||
    known.some((one) => sameProcess(one, { bootId: table.bootId, pid: row.pid, startTime: row.startTime })) ||
    (seed.marker !== undefined && table.bears(row.pid, seed.marker));
  return closure(rows, rows.filter(isSeed));
}

export function identitiesOf(rows: Iterable<ProcessRow>, table: ProcessTable): ProcessIdentity[] {
  return Array.from(rows, ({ pid, startTime }) => ({ bootId: table.bootId, pid, startTime }));
}

/** Sends the signal if the pid still means that process. False when it is gone or not ours to signal. */
export function signalProcess(row: ProcessRow, signal: NodeJS.Signals, table: ProcessTable): boolean {
  if (!isAlive(row, table)) return false;
  try {
    return process.kill(row.pid, signal);
  } catch {
    return false;
  }
}

export function isAlive(row: ProcessRow, table: ProcessTable): boolean {
  const now = table.read(row.pid);
  return now !== undefined && !now.zombie && now.startTime === row.startTime;
}

/**
 * Members of the group or session that `root` leads. The kernel gives no new process a number that still names a
 * group, so a dead root's number is good, unless another process has it by now: then the group is that one's.
 */
function ledBy(
  root: ProcessIdentity | undefined,
  all: readonly ProcessRow[],
  table: ProcessTable,
): (row: ProcessRow) => boolean {
  if (root === undefined || root.bootId !== table.bootId) return () => false;
  const holder = all.find((row) => row.pid === root.pid);
  if (holder !== undefined && holder.startTime !== root.startTime) return () => false;
  return (row) => row.pid === root.pid || row.group === root.pid || row.session === root.pid;
}

/** With each member also its children, and the group and session that it leads. */
function closure(rows: readonly ProcessRow[], seeds: readonly ProcessRow[]): ProcessRow[] {
  const kin = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    for (const leader of new Set([row.parent, row.group, row.session])) {
      const list = kin.get(leader);
      if (list) list.push(row);
      else kin.set(leader, [row]);
    }
  }
  const members = new Set(seeds);
  // A set is walked in order of insertion, members added on the way included.
  for (const member of members) for (const row of kin.get(member.pid) ?? []) members.add(row);
  return [...members];
}

/** Stops all, looks again until nothing new is there, kills all. What was caught is added to `caught`. */
async function freezeAndKill(
  first: readonly ProcessRow[],
  seed: TreeSeed,
  caught: Map<string, ProcessRow>,
  table: ProcessTable,
): Promise<void> {
  const freezeRoundsMax = 50;
  let fresh = first;
  for (let round = 0; fresh.length > 0 && round < freezeRoundsMax; round += 1) {
    for (const row of fresh) {
      caught.set(keyOf(row), row);
      signalProcess(row, "SIGSTOP", table);
    }
    await setImmediate(); // many agents may be stopping at once: none holds the loop for all its rounds
    const known = [...(seed.known ?? []), ...identitiesOf(caught.values(), table)];
    fresh = findTree({ ...seed, known }, table).filter((row) => !caught.has(keyOf(row)));
  }
  for (const row of caught.values()) signalProcess(row, "SIGKILL", table);
}

/** Resolves when none of them lives any more, or the time is over. */
export async function untilGone(rows: Iterable<ProcessRow>, waitMs: number, table: ProcessTable): Promise<void> {
  const pollMs = 5;
  let living = [...rows].filter((row) => isAlive(row, table));
  for (let waited = 0; living.length > 0 && waited < waitMs; waited += pollMs) {
    await setTimeout(pollMs);
    living = living.filter((row) => isAlive(row, table));
  }
}

function keyOf(row: ProcessRow): string {
  return `${row.pid}@${row.startTime}`;
}
