// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { ProcessScanner } from "./process-scan.ts";
import { procSource, type ProcessRow, type ProcessSource } from "./process-source.ts";
import { createProcessTable } from "./process-table.ts";
import { endTree } from "./process-tree.ts";
import { eventually, newMarker, shell, start } from "./testing/trees.ts";

/** Counts the scans of the real processes and the reads of environments. */
function counted(): { source: ProcessSource; looks: () => number; environmentsRead: (pid: number) => number } {
  const real = procSource();
  let looks = 0;
  const read: number[] = [];
  const source: ProcessSource = {
    ...real,
    list() {
      looks += 1;
      return real.list();
    },
    environmentValues(pid, name) {
      read.push(pid);
      return real.environmentValues(pid, name);
    },
  };
  return {
    source,
    looks: () => looks,
    environmentsRead: (pid) => read.filter((one) => one === pid).length,
  };
}

test("calls in the same turn share one scan, which begins after the last call", async () => {
  const { source, looks } = counted();
  const scanner = new ProcessScanner(source);
  const asked = [scanner.scan(), scanner.scan()];
  expect(looks()).toBe(0);
  await using late = start(["sleep", "600"]);
  asked.push(scanner.scan());
  const [first, second, third] = await Promise.all(asked);
  expect(looks()).toBe(1);
  expect(first).toBe(second);
  expect(third).toBe(first);
  expect(first?.row(late.agent.pid ?? 0)).toBeDefined();
});

test("a call during a scan gets the next one, which shows what happened meanwhile", async () => {
  const slow: ProcessRow[] = [1, 2, 3].map((pid) => fake(pid));
  let begun = (): void => {};
  const beginning = new Promise<void>((resolve) => (begun = resolve));
  const scanner = new ProcessScanner(
    sourceOf(function* () {
      begun();
      for (const row of slow.slice()) {
        keepBusy(3);
        yield row;
      }
    }),
  );
  const first = scanner.scan();
  await beginning;
  slow.push(fake(4));
  const second = scanner.scan();
  expect((await first).rows.map(({ pid }) => pid)).toEqual([1, 2, 3]);
  expect((await second).rows.map(({ pid }) => pid)).toEqual([1, 2, 3, 4]);
});

test("a long scan yields to the event loop", async () => {
  const rows = Array.from({ length: 10 }, (_, index) => fake(index + 2));
  let turns = 0;
  let over = false;
  const turn = (): void => {
    turns += 1;
    if (!over) setImmediate(turn);
  };
  const turnsAt: number[] = [];
  const scanner = new ProcessScanner(
    sourceOf(function* () {
      for (const row of rows) {
        keepBusy(3);
        turnsAt.push(turns);
        yield row;
      }
    }),
  );
  turn();
  await scanner.scan();
  over = true;
  expect(new Set(turnsAt).size).toBe(rows.length);
});

test("with a marker, environments are read during the scan, which yields to the event loop", async () => {
  const rows = Array.from({ length: 10 }, (_, index) => fake(index + 2));
  let turns = 0;
  let over = false;
  const turn = (): void => {
    turns += 1;
    if (!over) setImmediate(turn);
  };
  const turnsAt: number[] = [];
  const marker = newMarker();
  const source = {
    ...sourceOf(() => rows),
    read: (pid: number) => fake(pid),
    environmentValues: () => {
      keepBusy(3);
      turnsAt.push(turns);
      return [marker.value];
    },
  };
  turn();
  const snapshot = await new ProcessScanner(source).scan(marker);
  over = true;
  expect(new Set(turnsAt).size).toBe(rows.length);
  expect(snapshot.findMarked(marker)).toEqual(rows);
  expect(turnsAt).toHaveLength(rows.length);
});

test("ending several trees at once takes as many scans as ending one", async () => {
  const { source, looks } = counted();
  const table = createProcessTable(source);
  await Promise.all(Array.from({ length: 100 }, () => endTree({ marker: newMarker() }, undefined, table)));
  expect(looks()).toBe(1);
});

test("an environment is read once, however many trees are searched for, and again after an exec", async () => {
  const { source, environmentsRead } = counted();
  const scanner = new ProcessScanner(source);
  const marker = newMarker();
  await using child = shell(`echo ready; read go; exec env ${marker.name}=other sh -c 'echo changed; sleep 600'`, {
    marker,
  });
  const pid = child.agent.pid ?? 0;
  const pids = async (value: string): Promise<number[]> =>
    (await scanner.scan()).findMarked({ name: marker.name, value }).map((row) => row.pid);
  await eventually("it is ready", () => child.stdout().includes("ready"));
  expect(await pids(marker.value)).toEqual([pid]);
  expect(await pids(newMarker().value)).toEqual([]);
  expect(await pids(marker.value)).toEqual([pid]);
  expect(environmentsRead(pid)).toBe(1);
  child.agent.write("go\n");
  await eventually("it is another program", () => child.stdout().includes("changed"));
  expect(await pids(marker.value)).toEqual([]);
  expect(await pids("other")).toContain(pid);
  expect(environmentsRead(pid)).toBe(2);
});

test("no attempt is made to read an environment that is missing or not permitted", async () => {
  const rows = [{ ...fake(2), environment: "" }, fake(3)];
  const asked: number[] = [];
  const source = { ...sourceOf(() => rows), environmentValues: (pid: number) => (asked.push(pid), []) };
  const snapshot = await new ProcessScanner(source).scan();
  expect(snapshot.findMarked(newMarker())).toEqual([]);
  expect(asked).toEqual([3]);
});

function fake(pid: number): ProcessRow {
  return { pid, parent: 1, group: pid, session: pid, zombie: false, startTime: "5", environment: "1-2" };
}

function sourceOf(list: () => Iterable<ProcessRow>): ProcessSource {
  return {
    bootId: "b",
    list,
    read: () => undefined,
    environmentValues: () => [],
    stdio: () => undefined,
    canReadStdio: false,
  };
}

function keepBusy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
