// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds and ends the process tree of an agent: by parent, by process group and session, and by the marker in the
// environment. Only an orphan with a cleaned environment and a session of its own escapes all three.
import { setImmediate, setTimeout } from "node:timers/promises";
import { sameProcess, type ProcessIdentity } from "./process-identity.ts";
import type { ProcessSnapshot } from "./process-scan.ts";
import type { Marker, ProcessRow } from "./process-source.ts";
import { processTable, type ProcessTable } from "./process-table.ts";

/** Identifies a tree. After a crash of agentd, only the recorded identity, the marker, or both are known. */
export interface TreeSeed {
  /** The root, which leads a process group and a session of its own. It may have exited. */
  readonly identity?: ProcessIdentity | undefined;
  readonly marker?: Marker | undefined;
  /** Members that were found earlier, and whose parents may have exited since. */
  readonly known?: readonly ProcessIdentity[];
}

export interface EndTreeLimits {
  /** How long to wait for killed processes to exit. */
  readonly killWaitMs: number;
}

export interface EndedTree {
  readonly killed: number;
  /** Processes that did not exit in time (uninterruptible in the kernel), or that we may not signal. */
  readonly left: number;
}

/**
 * Kills the whole tree. Members cannot escape by forking: all are sent SIGSTOP, the tree is scanned until no new member
 * appears, and only then all are killed. A signal is sent only if the pid still has the start time that was scanned.
 * Never signals our own process or process group.
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

/** Returns the living members of the tree, without our own process, our process group and process 1. */
export function findTree(seed: TreeSeed, snapshot: ProcessSnapshot, self = process.pid): ProcessRow[] {
  const ownGroup = snapshot.row(self)?.group;
  const mayBeMember = (row: ProcessRow): boolean =>
    row.pid > 1 && row.pid !== self && row.group !== ownGroup && !row.zombie;
  const members = new Set<ProcessRow>(seedRows(seed, snapshot).filter(mayBeMember));
  // Iterating over a Set includes the members that are added meanwhile.
  for (const member of members)
    for (const row of snapshot.findRelated(member.pid)) if (mayBeMember(row)) members.add(row);
  return [...members];
}

export function identitiesOf(rows: Iterable<ProcessRow>, table: Pick<ProcessTable, "bootId">): ProcessIdentity[] {
  return Array.from(rows, ({ pid, startTime }) => ({ bootId: table.bootId, pid, startTime }));
}

/** Sends a signal if the pid is still that process. Returns false if it has exited or may not be signalled. */
export function signalProcess(row: ProcessRow, signal: NodeJS.Signals, table: ProcessTable): boolean {
  if (!isAlive(row, table)) return false;
  try {
    return process.kill(row.pid, signal);
  } catch {
    return false;
  }
}

/** Signals each process, yielding to the event loop in between, since a tree may have thousands of members. */
export async function signalProcesses(
  rows: Iterable<ProcessRow>,
  signal: NodeJS.Signals,
  table: ProcessTable,
): Promise<void> {
  const perTurn = 50; // takes about 1 ms
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

/** Resolves when all processes have exited, or after `waitMs`. */
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

/** Reads a few processes one by one, which is faster than a scan; more of them by a scan. */
async function filterAlive(rows: readonly ProcessRow[], table: ProcessTable): Promise<ProcessRow[]> {
  const fewMax = 20;
  if (rows.length <= fewMax) return rows.filter((row) => isAlive(row, table));
  const snapshot = await table.scan();
  return rows.filter((row) => snapshot.isAlive(row));
}

/** Finds the members of the tree, and descendants of caught processes, that are not caught yet. */
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
 * Returns `root` and the members of the group or session that it leads. The kernel does not reuse a pid while a group
 * has that id, so this works for an exited root too. If another process has the pid by now, the group is that
 * process's.
 */
function findLed(root: ProcessIdentity | undefined, snapshot: ProcessSnapshot): readonly ProcessRow[] {
  if (root === undefined || root.bootId !== snapshot.bootId) return [];
  const holder = snapshot.row(root.pid);
  if (holder !== undefined && holder.startTime !== root.startTime) return [];
  const led = snapshot.findRelated(root.pid).filter((row) => row.group === root.pid || row.session === root.pid);
  return holder === undefined ? led : [holder, ...led];
}

/** Sends SIGSTOP to all, scans until no new member appears, and kills all. Adds the members to `caught`. */
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
