// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { identityOf, type ProcessIdentity } from "./process-identity.ts";
import { ProcessSnapshot } from "./process-scan.ts";
import { psSource, type ProcessRow } from "./process-source.ts";
import { createProcessTable } from "./process-table.ts";
import { endTree, findTree } from "./process-tree.ts";
import { eventually, isRunning, marked, newMarker, shell, start, table, type StartedAgent } from "./testing/trees.ts";

/** Runs `script`, which prints pids and then "ready", and returns at least so many pids. */
async function treeOf(
  script: string,
  pidsMin = 0,
): Promise<{ tree: StartedAgent; pids: number[]; identity: ProcessIdentity }> {
  const tree = shell(`${script}\necho ready; sleep 600`);
  const pids = (): number[] => (tree.stdout().match(/\d+/g) ?? []).map(Number);
  await eventually("the tree stands", () => tree.stdout().includes("ready") && pids().length >= pidsMin);
  return { tree, pids: pids(), identity: tree.agent.identity as ProcessIdentity };
}

/** Returns the program that a process currently runs, since a fork takes a while to exec. */
const programOf = (pid: number): string => readFileSync(`/proc/${pid}/comm`, "utf8").trim();

const orphan = (command: string): string => `(${command} </dev/null >/dev/null 2>&1 & echo $!)`;

test("children and orphans are ended, in sessions of their own too", async () => {
  const script = `
    sleep 600 & echo $!
    setsid sleep 600 & echo $!
    ${orphan("sleep 600")}
    ${orphan("setsid sleep 600")}
    setsid sh -c 'setsid sleep 600 & echo $!; sleep 600' & echo $!
    env -i PATH="$PATH" sleep 600 & echo $!`;
  const { tree, pids, identity } = await treeOf(script, 7);
  await using _ = tree;
  expect(pids).toHaveLength(7);
  const programs = ["sh", ...Array.from({ length: 6 }, () => "sleep")];
  await eventually("each runs what it was started for", () => pids.map(programOf).sort().join() === programs.join());
  const { killed, left } = await endTree({ identity, marker: tree.marker });
  expect(left).toBe(0);
  expect(killed).toBeGreaterThanOrEqual(8);
  expect(pids.filter(isRunning)).toEqual([]);
});

test("the tree of an exited root is ended by the recorded marker alone", async () => {
  const { tree, pids } = await treeOf(`${orphan("sleep 600")}; ${orphan("setsid sleep 600")}`);
  await using _ = tree;
  process.kill(tree.agent.pid ?? 0, "SIGKILL");
  await endTree({ marker: tree.marker });
  expect(pids).toHaveLength(2);
  expect(pids.filter(isRunning)).toEqual([]);
});

test("an orphan with a cleaned environment is found by the session that the exited root led", async () => {
  const { tree, pids, identity } = await treeOf(orphan('env -i PATH="$PATH" sleep 600'));
  await using _ = tree;
  expect(findTree({ marker: tree.marker }, await table.scan()).map(({ pid }) => pid)).toContain(pids[0]);
  expect((await endTree({ identity })).left).toBe(0);
  expect(pids.filter(isRunning)).toEqual([]);
});

test("processes that fork while the tree is ended do not escape, ten times out of ten", { tags: "slow" }, async () => {
  for (let round = 0; round < 10; round += 1) {
    await using tree = shell("i=0; while [ $i -lt 500 ]; do setsid sleep 600 & i=$((i+1)); done; sleep 600");
    const { marker } = tree;
    await eventually("it forks", () => marked(marker).length > 5);
    const { left } = await endTree({ identity: tree.agent.identity, marker });
    expect(left).toBe(0);
    expect(marked(marker)).toEqual([]);
  }
});

test("if another process has the recorded pid, it and its group are left alone", async () => {
  await using bystander = shell("sleep 600 & sleep 600");
  const pid = bystander.agent.pid ?? 0;
  const identity = { ...(identityOf(pid) as ProcessIdentity), startTime: "1" };
  expect(await endTree({ identity, marker: newMarker() })).toEqual({ killed: 0, left: 0 });
  expect(isRunning(pid)).toBe(true);
});

test("an identity of another boot matches nothing", async () => {
  await using bystander = start(["sleep", "600"]);
  const identity = { ...(bystander.agent.identity as ProcessIdentity), bootId: "another" };
  expect(await endTree({ identity })).toEqual({ killed: 0, left: 0 });
});

test("our own process and process group are never members of a tree", async () => {
  await using child = start(["sleep", "600"]);
  const own = findTree({ identity: identityOf(process.pid) }, await table.scan());
  expect(own).toEqual([]);
  const asSibling = findTree({ marker: child.marker }, await table.scan(), child.agent.pid);
  expect(asSibling).toEqual([]);
});

test("an empty seed ends nothing", async () => {
  expect(await endTree({})).toEqual({ killed: 0, left: 0 });
});

test("with ps alone a tree is ended by parent and group", async () => {
  const { tree, pids } = await treeOf("sleep 600 & echo $!; setsid sleep 600 & echo $!");
  await using _ = tree;
  const ps = createProcessTable(psSource());
  const identity = identityOf(tree.agent.pid ?? 0, ps) as ProcessIdentity;
  const { left } = await endTree({ identity, marker: tree.marker }, { killWaitMs: 5000 }, ps);
  expect(left).toBe(0);
  expect(pids.filter(isRunning)).toEqual([]);
});

test("process 1 and zombies are never members", () => {
  const row = (pid: number, parent: number, zombie = false): ProcessRow => ({
    pid,
    parent,
    group: 50,
    session: 50,
    zombie,
    startTime: "5",
    environment: "",
  });
  const rows = [row(1, 0), row(50, 1), row(51, 50, true), row(52, 50)];
  const marker = newMarker();
  const snapshot = new ProcessSnapshot("b", rows, () => [marker.value]);
  const found = findTree({ marker, identity: { bootId: "b", pid: 50, startTime: "5" } }, snapshot, 99);
  expect(new Set(found.map(({ pid }) => pid))).toEqual(new Set([50, 52]));
});
