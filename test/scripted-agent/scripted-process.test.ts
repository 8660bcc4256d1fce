// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scriptedAgent } from "./agent-files.ts";
import { scriptedAgentProgram } from "./build.ts";
import { drive, openSession, promptOf, said } from "../../agentd/demo-agent/testing/driver.ts";
import { play } from "./play-scenario.ts";

test.each([
  [{ exit: 9 }, { code: 9, signal: null }],
  [{ kill: "SIGKILL" }, { code: null, signal: "SIGKILL" }],
] as const)("it ends at a step after chunks without an answer: %j", async (step, exit) => {
  await using driver = play({ rules: [{ on: "session/prompt", do: [{ repeat: 100, do: [{ text: "x" }] }, step] }] });
  const sessionId = await openSession(driver, "/tmp");
  driver.send({ jsonrpc: "2.0", id: "p", method: "session/prompt", params: promptOf(sessionId, "go") });
  expect(await driver.exit).toEqual(exit);
  expect(said(driver)).toBe("x".repeat(100));
  expect(driver.frames.some((frame) => frame["id"] === "p")).toBe(false);
});

test("it survives the end of its stdin and SIGTERM if the scenario says so", async () => {
  await using driver = play({ ignore: ["eof", "SIGTERM"], rules: [{ on: "eof", do: [{ send: { saw: "eof" } }] }] });
  await driver.request("initialize", { protocolVersion: 1 });
  driver.process.closeStdin();
  await driver.frame("the end of stdin", (frame) => frame["saw"] === "eof");
  expect(await driver.process.stop({ stdinGraceMs: 0, termGraceMs: 100 })).toEqual({
    code: null,
    signal: "SIGKILL",
    killed: 1,
  });
});

test("a byte order mark before the first message or in the scenario's file is ignored", async () => {
  using files = scriptedAgent({ rules: [{ on: "initialize", do: [{ send: { heard: true } }] }] });
  const scenario = files.command.at(-1) ?? "";
  writeFileSync(scenario, `\ufeff${readFileSync(scenario, "utf8")}`);
  await using driver = drive(files.command);
  driver.process.write('\ufeff{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n');
  await driver.frame("its answer", (frame) => frame["heard"] === true);
});

test("a closed stdin gives the writer a broken pipe", async () => {
  await using driver = play({ rules: [{ on: "initialize", do: [{ close: "stdin" }, "default"] }] });
  await driver.request("initialize", { protocolVersion: 1 });
  await expect.poll(() => driver.process.write("more\n")).toBe(false);
  expect(driver.process.writableBytes).toBe(0);
});

test("a closed stdout ends the output but not the process", async () => {
  using files = scriptedAgent((directory) => ({
    rules: [{ on: "initialize", do: ["default", { close: "stdout" }, { writeFile: join(directory, "alive") }] }],
  }));
  await using driver = drive(files.command);
  await driver.request("initialize", { protocolVersion: 1 });
  expect(await driver.exit).toMatchObject({ stdoutClosed: true });
});

test("an agent that never reads its stdin lets the pipe fill", async () => {
  await using driver = play({ neverReadStdin: true, rules: [{ on: "start", do: [{ send: { up: true } }] }] });
  await driver.frame("it is up", (frame) => frame["up"] === true);
  driver.send("x".repeat(1_000_000));
  expect(driver.process.writableBytes).toBe(1_000_000);
});

test("a paused stdin is read on after it is resumed", async () => {
  using files = scriptedAgent((directory) => ({
    rules: [
      {
        on: "halt",
        do: [
          { stdin: "pause" },
          { send: { halted: true } },
          { waitForFile: join(directory, "go") },
          { stdin: "resume" },
        ],
      },
    ],
  }));
  await using driver = drive(files.command);
  driver.send({ method: "halt" });
  await driver.frame("it halted", (frame) => frame["halted"] === true);
  const answer = driver.request("initialize", { protocolVersion: 1 });
  expect(driver.frames).toHaveLength(1);
  writeFileSync(join(files.directory, "go"), "");
  expect((await answer)["result"]).toMatchObject({ protocolVersion: 1 });
});

test("an invalid scenario ends the agent with exit code 64 and a message", async () => {
  const broken = [['{"rules":[{"on":"start","do":[{"sned":1}]}]}'], ["/nonexistent.json"], []];
  for (const args of broken) {
    await using driver = drive([process.execPath, scriptedAgentProgram, ...args]);
    expect(await driver.exit).toEqual({ code: 64, signal: null });
    expect(driver.process.stderrTail()).toMatch(/no such step: {"sned":1}|nonexistent|usage/);
  }
});
