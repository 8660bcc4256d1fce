// SPDX-License-Identifier: MIT OR Apache-2.0
// All processes that came out of one agent: by parent, by process group and session, and by the marker in their
// environment. What escapes all three is an orphan that cleaned its environment and made a session of its own.
import { setImmediate, setTimeout } from "node:timers/promises";
import { sameProcess } from "./process-identity.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import type { ProcessSnapshot } from "./process-scan.ts";
import type { Marker, ProcessRow } from "./process-source.ts";
import { processTable } from "./process-table.ts";
import type { ProcessTable } from "./process-table.ts";

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
 * appears, and only then killed. Each look begins after the signals before it were sent. Each signal goes out only if the
 * pid still has the start time that was seen. Never touches our own process or process group.
 */
export async function endTree(
  seed: TreeSeed,
  limits: EndTreeLimits = { killWaitMs: 5000 },
  table: ProcessTable = processTable(),
): Promise<EndedTree> {
  const roundsMax = 20;
  const caught = new Map<string, ProcessRow>();
  for (let round = 0; round < roundsMax; round += 1) {
    const fresh = await findUncaught(seed, caught, table);
    if (fresh.length === 0) break;
    await freezeAndKill(fresh, seed, caught, table);
    await waitUntilGone(caught.values(), limits.killWaitMs, table);
  }
  const left = (await filterAlive([...caught.values()], table)).length;
  return { killed: caught.size - left, left };
}

/** The living members of the tree that may be signalled: never we, nor our process group, nor process 1. */
export function findTree(seed: TreeSeed, snapshot: ProcessSnapshot, self = process.pid): ProcessRow[] {
  const ownGroup = snapshot.row(self)?.group;
  const mayBeMember = (row: ProcessRow): boolean =>
    row.pid > 1 && row.pid !== self && row.group !== ownGroup && !row.zombie;
  const members = new Set<ProcessRow>(seedRows(seed, snapshot).filter(mayBeMember));
  // A set is walked in order of insertion, members added on the way included.
  for (const member of members)
    for (const row of snapshot.findRelated(member.pid)) if (mayBeMember(row)) members.add(row);
  return [...members];
}

export function identitiesOf(rows: Iterable<ProcessRow>, table: Pick<ProcessTable, "bootId">): ProcessIdentity[] {
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

/** As `signalProcess` for each, letting the event loop run in between: a tree may have thousands of members. */
export async function signalProcesses(
  rows: Iterable<ProcessRow>,
  signal: NodeJS.Signals,
  table: ProcessTable,
): Promise<void> {
  const perTurn = 50; // some 1 ms
  let count = 0;
  for (const row of rows) {
    signalProcess(row, signal, table);
    count += 1;
    if (count % perTurn === 0) await setImmediate();
  }
}

export function isAlive(row: ProcessRow, table: ProcessTable): boolean {
  const now = table.read(row.pid);
  return now !== undefined && !now.zombie && now.startTime === row.startTime;
}

/** Resolves when none of them lives any more, or the time is over. */
export async function waitUntilGone(rows: Iterable<ProcessRow>, waitMs: number, table: ProcessTable): Promise<void> {
  const pollMsMax = 100;
  const deadline = performance.now() + waitMs;
  let pollMs = 5;
  let left = await filterAlive([...rows], table);
  for (let leftMs = waitMs; left.length > 0 && leftMs > 0; leftMs = deadline - performance.now()) {
    await setTimeout(Math.min(pollMs, leftMs));
    pollMs = Math.min(pollMs * 2, pollMsMax);
    left = await filterAlive(left, table);
  }
}

/** A few are read one by one, which is quicker than a look at all processes. */
async function filterAlive(rows: readonly ProcessRow[], table: ProcessTable): Promise<ProcessRow[]> {
  const fewMax = 20;
  if (rows.length <= fewMax) return rows.filter((row) => isAlive(row, table));
  const snapshot = await table.scan();
  return rows.filter((row) => snapshot.isAlive(row));
}

/** The members of the tree, or of what came out of those that were caught, which have not been caught yet. */
async function findUncaught(
  seed: TreeSeed,
  caught: ReadonlyMap<string, ProcessRow>,
  table: ProcessTable,
): Promise<ProcessRow[]> {
  const snapshot = await table.scan(seed.marker);
  const known = [...(seed.known ?? []), ...identitiesOf(caught.values(), table)];
  return findTree({ ...seed, known }, snapshot).filter((row) => !caught.has(keyOf(row)));
}

function seedRows({ identity, known = [], marker }: TreeSeed, snapshot: ProcessSnapshot): readonly ProcessRow[] {
  const rows = [...findLed(identity, snapshot), ...(marker === undefined ? [] : snapshot.findMarked(marker))];
  for (const one of known) {
    const row = snapshot.row(one.pid);
    if (row && sameProcess(one, { bootId: snapshot.bootId, pid: row.pid, startTime: row.startTime })) rows.push(row);
  }
  return rows;
}

/**
 * `root`, and the members of the group or session that it leads. The kernel gives no new process a number that still names
 * a group, so a dead root's number is good, unless another process has it by now: then the group is that one's.
 */
function findLed(root: ProcessIdentity | undefined, snapshot: ProcessSnapshot): readonly ProcessRow[] {
  if (root === undefined || root.bootId !== snapshot.bootId) return [];
  const holder = snapshot.row(root.pid);
  if (holder !== undefined && holder.startTime !== root.startTime) return [];
  const led = snapshot.findRelated(root.pid).filter((row) => row.group === root.pid || row.session === root.pid);
  return holder === undefined ? led : [holder, ...led];
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
    for (const row of fresh) caught.set(keyOf(row), row);
    await signalProcesses(fresh, "SIGSTOP", table);
    fresh = await findUncaught(seed, caught, table);
  }
  await signalProcesses(caught.values(), "SIGKILL", table);
}

function keyOf(row: ProcessRow): string {
  return `${row.pid}@${row.startTime}`;
}
