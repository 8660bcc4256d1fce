// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endTree } from "../../acp-client/process/process-tree.ts";
import { processTable } from "../../acp-client/process/process-table.ts";
import type { ProcessRow } from "../../acp-client/process/process-source.ts";
import { scriptedAgent } from "./agent-files.ts";
import { drive } from "../../agentd/demo-agent/testing/driver.ts";
import type { SpawnStep } from "./scenario.ts";

const table = processTable();
const hasEnvironment = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/environ`, "latin1").includes("DRIVER_TEST=");

test.each([
  ["group", { child: true, ownSession: false, environment: true }],
  ["session", { child: true, ownSession: true, environment: true }],
  ["orphan", { child: false, ownSession: false, environment: true }],
  ["orphan_session", { child: false, ownSession: true, environment: true }],
  ["clean_orphan_session", { child: false, ownSession: true, environment: false }],
] as const)("spawn %s leaves processes of that kind", async (spawn: SpawnStep["spawn"], kind) => {
  using files = scriptedAgent((directory) => ({
    rules: [{ on: "initialize", do: [{ spawn, count: 3, pidFile: join(directory, "pids") }, "default"] }],
  }));
  await using driver = drive(files.command);
  await driver.request("initialize", { protocolVersion: 1 });
  const agentPid = driver.process.pid ?? 0;
  const pids = readFileSync(join(files.directory, "pids"), "utf8").trim().split("\n").map(Number);
  // It is an orphan once its shell has exited, and in its own session once setsid has run.
  const settled = (): (ProcessRow | undefined)[] => pids.map((pid) => table.read(pid));
  await expect.poll(() => settled().map((row) => row?.session !== agentPid)).toEqual(pids.map(() => kind.ownSession));
  await expect.poll(() => settled().map((row) => row?.parent === agentPid)).toEqual(pids.map(() => kind.child));
  expect(pids.map(hasEnvironment)).toEqual(pids.map(() => kind.environment));
  // No search finds the last kind, by design, so it is killed by pid.
  const known = pids.map((pid) => ({ bootId: table.bootId, pid, startTime: table.read(pid)?.startTime ?? "" }));
  expect((await endTree({ known })).left).toBe(0);
});

test("an agent that re-executes itself continues on the same pipes", async () => {
  using files = scriptedAgent({ rules: [{ on: "start", do: [{ reexecute: true }, { stderr: "second life\n" }] }] });
  await using driver = drive(files.command);
  const reply = await driver.request("initialize", { protocolVersion: 1 });
  expect(reply["result"]).toMatchObject({ protocolVersion: 1 });
  await expect.poll(() => table.read(driver.process.pid ?? 0)).toBeUndefined();
  expect((await driver.request("session/list", {}))["result"]).toEqual({ sessions: [] });
  driver.process.closeStdin();
  expect(await driver.exit).toEqual({ code: 0, signal: null });
  expect(driver.process.stderrTail()).toBe("second life\n");
});

test("child processes that keep stdout open are ended after the agent has died", async () => {
  using files = scriptedAgent((directory) => ({
    rules: [
      {
        on: "initialize",
        do: [
          { spawn: "session", holdStdout: true, pidFile: join(directory, "pids") },
          { spawn: "orphan", holdStdout: true, pidFile: join(directory, "pids") },
          { exit: 2 },
        ],
      },
    ],
  }));
  await using driver = drive(files.command);
  driver.send({ jsonrpc: "2.0", id: 0, method: "initialize" });
  expect(await driver.exit).toEqual({ code: 2, signal: null });
  const pids = readFileSync(join(files.directory, "pids"), "utf8").trim().split("\n").map(Number);
  expect(pids).toHaveLength(2);
  expect(pids.filter((pid) => table.read(pid)?.zombie === false)).toEqual([]);
});
