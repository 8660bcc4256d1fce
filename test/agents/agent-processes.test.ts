// SPDX-License-Identifier: MIT OR Apache-2.0
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { expect, test } from "vitest";
import { agentProcesses, killProcesses, remainingProcesses } from "./agent-processes.ts";

const goneDeadlineMs = 10_000;

test("a process whose parent is dead and whose group is its own is found by its marker, and gone once killed", async () => {
  const marker = `MARK=${randomUUID()}`;
  // The first starts a second in a session of its own and dies of it.
  const parent = startShell("setsid sleep 3611 </dev/null >/dev/null 2>&1 & echo started", marker);
  await once(parent, "close");
  try {
    const commands = async () => (await agentProcesses({ marker })).map(({ command }) => command);
    await expect.poll(commands, { timeout: goneDeadlineMs }).toEqual(["sleep 3611"]);
    expect(await remainingProcesses(marker, [], 0)).toHaveLength(1);
  } finally {
    killProcesses(await agentProcesses({ marker }));
  }
  expect(await remainingProcesses(marker, [], goneDeadlineMs)).toEqual([]);
});

test("a child with an emptied environment is found by its parent, and remembered when that is dead", async () => {
  const marker = `MARK=${randomUUID()}`;
  const parent = startShell("env -i /bin/sleep 3612 </dev/null >/dev/null 2>&1 & echo started; read line", marker);
  await once(parent.stdout!, "data");
  const commands = async () => (await agentProcesses({ marker })).map(({ command }) => command);
  await expect.poll(commands, { timeout: goneDeadlineMs }).toContain("/bin/sleep 3612");
  const seen = await agentProcesses({ marker });
  parent.kill("SIGKILL");
  await once(parent, "close");
  try {
    expect(await agentProcesses({ marker })).toEqual([]);
    expect(await remainingProcesses(marker, seen, 0)).toMatchObject([{ command: "/bin/sleep 3612" }]);
  } finally {
    killProcesses(await remainingProcesses(marker, seen, 0));
  }
  expect(await remainingProcesses(marker, seen, goneDeadlineMs)).toEqual([]);
});

test("a marker that is only the beginning of another's value finds nothing", async () => {
  const marker = `MARK=${randomUUID()}`;
  const child = startShell("echo started; read line", `${marker}-2`);
  await once(child.stdout!, "data");
  expect(await agentProcesses({ marker })).toEqual([]);
  expect(await agentProcesses({ marker: `${marker}-2` })).toHaveLength(1);
  child.stdin!.end();
  await once(child, "close");
});

test("a tree is found by its root alone", async () => {
  const child = startShell("sleep 3613 & echo started; read line; kill $!", "MARK=none");
  await once(child.stdout!, "data");
  const found = await agentProcesses({ marker: `MARK=${randomUUID()}`, root: child.pid });
  expect(found.map(({ pid }) => pid)).toContain(child.pid);
  expect(found).toHaveLength(2);
  child.stdin!.end();
  await once(child, "close");
});

test("killing what is gone already is no error", async () => {
  const child = startShell("exit 0", "MARK=none");
  await once(child, "close");
  expect(() => killProcesses([{ pid: child.pid!, startTime: "", command: "" }])).not.toThrow();
});

function startShell(script: string, marker: string): ChildProcess {
  const [name, value] = marker.split("=") as [string, string];
  return spawn("/bin/sh", ["-c", script], { env: { PATH: "/usr/bin:/bin", [name]: value }, stdio: "pipe" });
}
