// SPDX-License-Identifier: MIT OR Apache-2.0
// Scans all processes. Concurrent callers share a scan, so the cost depends on the number of processes and not on how
// many trees are being ended.
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Marker, ProcessRow, ProcessSource } from "./process-source.ts";

/** How long a scan may block the event loop at a time. */
const sliceMs = 2;
/** After each scan a pause follows of this many times its CPU time, so scans take at most a quarter of the time. */
const restFactor = 3;

interface KnownEnvironment {
  readonly row: ProcessRow;
  readonly values: Map<string, readonly string[]>;
}

export class ProcessScanner {
  readonly #source: ProcessSource;
  /** Environments of the last scan's processes, by pid. Each is read once, and again after an exec. */
  #environments = new Map<number, KnownEnvironment>();
  /** The names of the variables that callers search for. */
  readonly #names = new Set<string>();
  #next: Promise<ProcessSnapshot> | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #restUntil = 0;

  constructor(source: ProcessSource) {
    this.#source = source;
  }

  /**
   * Returns a scan that begins after this call, so it shows the effect of earlier signals. Pass the marker that
   * `findMarked` will be called with: its variable is then read during the scan, without blocking the event loop.
   */
  scan(marker?: Marker): Promise<ProcessSnapshot> {
    if (marker !== undefined) this.#names.add(marker.name);
    this.#next ??= this.#begin();
    return this.#next;
  }

  async #begin(): Promise<ProcessSnapshot> {
    const previous = this.#running;
    const scan = previous.then(async () => {
      await setImmediate();
      const rest = this.#restUntil - performance.now();
      if (rest > 0) await setTimeout(rest);
      this.#next = undefined; // later callers get the next scan
      return await this.#scanNow();
    });
    this.#running = scan.catch(() => {});
    return await scan;
  }

  async #scanNow(): Promise<ProcessSnapshot> {
    const rows: ProcessRow[] = [];
    let spentMs = 0;
    let cpu = process.cpuUsage();
    let sliceEnd = performance.now() + sliceMs;
    for (const _ of this.#steps(rows)) {
      if (performance.now() < sliceEnd) continue;
      spentMs += cpuMsSince(cpu);
      await setImmediate();
      cpu = process.cpuUsage();
      sliceEnd = performance.now() + sliceMs;
    }
    spentMs += cpuMsSince(cpu);
    this.#restUntil = performance.now() + restFactor * spentMs;
    return new ProcessSnapshot(this.#source.bootId, rows, (row, name) => this.#valuesOf(row, name));
  }

  /** Reads all processes into `rows`, then their environments. Each step reads one or two files. */
  *#steps(rows: ProcessRow[]): Generator<void> {
    for (const row of this.#source.list()) {
      rows.push(row);
      yield;
    }
    this.#keepEnvironments(rows);
    for (const name of this.#names) {
      for (const row of rows) {
        this.#valuesOf(row, name);
        yield;
      }
    }
  }

  #keepEnvironments(rows: readonly ProcessRow[]): void {
    const kept = new Map<number, KnownEnvironment>();
    for (const row of rows) {
      const known = this.#environments.get(row.pid);
      kept.set(row.pid, known !== undefined && sameProgram(known.row, row) ? known : { row, values: new Map() });
    }
    this.#environments = kept;
  }

  #valuesOf(row: ProcessRow, name: string): readonly string[] {
    if (row.environment === "") return [];
    const known = this.#environments.get(row.pid);
    const cached = known !== undefined && sameProgram(known.row, row) ? known.values.get(name) : undefined;
    if (cached !== undefined) return cached;
    const values = this.#source.environmentValues(row.pid, name);
    // Not cached if the process has exited or called exec since its row was read: the values may be another program's.
    if (known !== undefined && this.#isUnchanged(row)) known.values.set(name, values);
    return values;
  }

  #isUnchanged(row: ProcessRow): boolean {
    const now = this.#source.read(row.pid);
    return now !== undefined && sameProgram(now, row);
  }
}

function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function sameProgram(one: ProcessRow, other: ProcessRow): boolean {
  return one.startTime === other.startTime && one.environment === other.environment;
}

export class ProcessSnapshot {
  readonly bootId: string;
  readonly rows: readonly ProcessRow[];
  readonly #valuesOf: (row: ProcessRow, name: string) => readonly string[];
  readonly #byPid = new Map<number, ProcessRow>();
  readonly #related = new Map<number, ProcessRow[]>();
  /** Processes by name and value of a variable, for names that were searched for. */
  readonly #marked = new Map<string, Map<string, ProcessRow[]>>();

  constructor(
    bootId: string,
    rows: readonly ProcessRow[],
    valuesOf: (row: ProcessRow, name: string) => readonly string[],
  ) {
    this.bootId = bootId;
    this.rows = rows;
    this.#valuesOf = valuesOf;
    for (const row of rows) {
      this.#byPid.set(row.pid, row);
      for (const leader of new Set([row.parent, row.group, row.session]))
        getOrCreateList(this.#related, leader).push(row);
    }
  }

  row(pid: number): ProcessRow | undefined {
    return this.#byPid.get(pid);
  }

  /** Returns the children of a process, and the members of the process group and session that it leads. */
  findRelated(pid: number): readonly ProcessRow[] {
    return this.#related.get(pid) ?? [];
  }

  /** Returns the processes with the marker in their environment. */
  findMarked({ name, value }: Marker): readonly ProcessRow[] {
    let byValue = this.#marked.get(name);
    if (byValue === undefined) {
      byValue = new Map<string, ProcessRow[]>();
      for (const row of this.rows) for (const one of this.#valuesOf(row, name)) getOrCreateList(byValue, one).push(row);
      this.#marked.set(name, byValue);
    }
    return byValue.get(value) ?? [];
  }

  /** Whether the process was alive at the time of this scan. */
  isAlive(row: ProcessRow): boolean {
    const now = this.#byPid.get(row.pid);
    return now !== undefined && !now.zombie && now.startTime === row.startTime;
  }
}

function getOrCreateList<K>(lists: Map<K, ProcessRow[]>, key: K): ProcessRow[] {
  let list = lists.get(key);
  if (list === undefined) {
    list = [];
    lists.set(key, list);
  }
  return list;
}
