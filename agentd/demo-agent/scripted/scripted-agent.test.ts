// SPDX-License-Identifier: MIT OR Apache-2.0
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { demoAgentCommand, scriptedAgent } from "../../testing/scripted-agent.ts";
import { objectionsToAgentFrame } from "../testing/agent-frame-schema.ts";
import { drive, openSession, promptOf, said, updates } from "../testing/driver.ts";
import type { Driver, Frame } from "../testing/driver.ts";
import type { Scenario } from "./scenario.ts";

/** The scenario itself as the argument, for tests that need no files. */
function play(scenario: Scenario): Driver {
  return drive([...demoAgentCommand, "--scenario", JSON.stringify(scenario)]);
}

function prompt(driver: Driver, sessionId: string): Promise<Frame> {
  return driver.request("session/prompt", promptOf(sessionId, "go"));
}

test("where the scenario is silent it is a correct agent by the official schema", async () => {
  const modes = [
    { value: "a", name: "A" },
    { value: "b", name: "B" },
  ];
  const option = { id: "mode", name: "Mode", type: "select", currentValue: "a", options: modes };
  await using driver = play({ session: { configOptions: [option] } });
  const sessionId = await openSession(driver, "/tmp");
  expect((await prompt(driver, sessionId))["result"]).toEqual({ stopReason: "end_turn" });
  const set = await driver.request("session/set_config_option", { sessionId, configId: "mode", value: "b" });
  expect(set["result"]).toEqual({ configOptions: [{ ...option, currentValue: "b" }] });
  for (const method of [
    "session/set_mode",
    "session/list",
    "session/close",
    "session/delete",
    "authenticate",
    "session/load",
  ])
    await driver.request(method, { sessionId });
  driver.send("no JSON\n");
  await driver.frame("a parse error", (frame) => frame["id"] === null);
  expect(driver.frames.flatMap((frame) => objectionsToAgentFrame(frame, driver.asked))).toEqual([]);
  driver.process.closeStdin();
  expect(await driver.exit).toEqual({ code: 0, signal: null });
});

test("bytes go out exactly as the scenario has them", async () => {
  await using driver = play({
    rules: [
      {
        on: "start",
        do: [
          { raw: "migrating db…\n" },
          { raw: 'DEBUG x={"a":1} {"jsonrpc":"2.0"}\r\n' },
          { raw: "00ff0a", encoding: "hex" },
          { send: { text: "a\u0000b" }, end: "\r\n" },
          { raw: '{"text":"\\ud800"}\n' },
          { raw: ["f0", "9f", "98", "80"], encoding: "hex", betweenMs: 2 },
          { send: ["an", "array"], end: "" },
          { exit: 0 },
        ],
      },
    ],
  });
  await driver.exit;
  const expected = [
    "migrating db…\n",
    'DEBUG x={"a":1} {"jsonrpc":"2.0"}\r\n',
    Buffer.from([0, 255, 10]),
    '{"text":"a\\u0000b"}\r\n',
    '{"text":"\\ud800"}\n',
    "😀",
    '["an","array"]',
  ];
  expect(driver.output().toString("hex")).toBe(
    Buffer.concat(expected.map((part) => Buffer.from(part))).toString("hex"),
  );
});

test("glued steps arrive in one read, pieces in several", async () => {
  const reads: string[] = [];
  await using driver = play({
    rules: [
      { on: "initialize", do: [{ glue: [{ raw: "one\n" }, { raw: "two\n" }, { text: "three" }, "default"] }] },
      { on: "more", do: [{ send: { $fill: 20 }, pieceBytes: 5, betweenMs: 20 }, "default"] },
    ],
  });
  driver.process.onStdout((chunk) => reads.push(chunk.toString()));
  await driver.request("initialize", { protocolVersion: 1 });
  expect(reads).toHaveLength(1);
  await driver.request("more", {});
  expect(reads.slice(1).join("")).toContain(`"${"x".repeat(20)}"\n`);
  expect(reads.length).toBeGreaterThan(3); // each waits for a timer; a slow reader may still get two at once
});

test("a line of 20 MB in writes of 64 KB arrives whole", async () => {
  const bytes = 20 * 1024 * 1024;
  await using driver = play({
    rules: [{ on: "start", do: [{ send: { text: { $fill: bytes, of: "é" } }, pieceBytes: 65_536 }, { exit: 0 }] }],
  });
  await driver.exit;
  expect(driver.output().toString()).toBe(`${JSON.stringify({ text: "é".repeat(bytes / 2) })}\n`);
});

test("placeholders stand for ids as they came, whatever type they have", async () => {
  await using driver = play({
    rules: [
      { on: "probe", do: [{ send: { id: "$id", session: "$sessionId", prompt: "$promptId", last: ["$requestId"] } }] },
    ],
  });
  const sessionId = await openSession(driver, "/tmp");
  for (const id of [0, "text", 1.5]) {
    driver.send({ jsonrpc: "2.0", id, method: "probe" });
    const told = await driver.frame("the probe", (frame) => frame["id"] === id);
    expect(told).toEqual({ id, session: sessionId, prompt: null, last: [null] });
  }
});

test.each(["initialize", "session/new", "session/prompt", "session/cancel", "session/close", "session/set_mode"])(
  "an agent that is mute at %s got the frame and says nothing about it",
  async (method) => {
    using files = scriptedAgent({
      rules: [
        { on: method, do: [] },
        { on: "after", do: [{ send: { after: true } }] },
      ],
    });
    await using driver = drive(files.command);
    driver.send({ jsonrpc: "2.0", id: 1, method, params: {} });
    driver.send({ jsonrpc: "2.0", method: "after" });
    await driver.frame("the next frame's", (frame) => frame["after"] === true);
    expect(driver.frames).toHaveLength(1);
    expect(files.received()).toEqual([
      { jsonrpc: "2.0", id: 1, method, params: {} },
      { jsonrpc: "2.0", method: "after" },
    ]);
  },
);

test("answers come wrong in every way the scenario asks for", async () => {
  await using driver = play({
    initialize: { protocolVersion: 2 },
    rules: [
      { on: "twice", do: [{ reply: 1 }, { reply: 2 }] },
      { on: "both", do: [{ send: { jsonrpc: "2.0", id: "$id", result: {}, error: { code: 1, message: "" } } }] },
      { on: "null", do: [{ reply: null }] },
      { on: "login", do: [{ error: { code: -32000, message: "log in", data: { why: "expired" } } }] },
      { on: "other", do: [{ reply: {}, to: "nobody" }] },
      { on: "late", do: [{ waitMs: 30 }, "default"] },
    ],
  });
  const ask = (id: number, method: string): void => driver.send({ jsonrpc: "2.0", id, method });
  for (const [id, method] of ["initialize", "late", "twice", "both", "null", "login", "other"].entries())
    ask(id, method);
  await driver.frame("the late answer", (frame) => frame["id"] === 1);
  expect(driver.frames.map(({ id, result, error }) => ({ id, result, error }))).toMatchObject([
    { id: 0, result: { protocolVersion: 2 } },
    { id: 2, result: 1 },
    { id: 2, result: 2 },
    { id: 3, result: {}, error: { code: 1 } },
    { id: 4, result: null },
    { id: 5, error: { code: -32000, data: { why: "expired" } } },
    { id: "nobody", result: {} },
    { id: 1, error: { code: -32601 } },
  ]);
});

test("updates come before the session is told, after the turn is over, and for sessions nobody opened", async () => {
  await using driver = play({
    session: { sessionId: "mine" },
    rules: [
      { on: "session/new", do: [{ update: { sessionUpdate: "early" }, sessionId: "mine" }, "default"] },
      {
        on: "session/prompt",
        do: ["default", { update: { sessionUpdate: "foreign" }, sessionId: "other" }, { waitMs: 10 }, { text: "late" }],
      },
    ],
  });
  const sessionId = await openSession(driver, "/tmp");
  await prompt(driver, sessionId);
  await driver.frame("the late text", (frame) => JSON.stringify(frame).includes("late"));
  const order = driver.frames.map((frame) =>
    frame["method"] === undefined ? "answer" : JSON.stringify(frame["params"]),
  );
  expect(order.map((told) => /early|answer|ok|foreign|late/.exec(told)?.[0])).toEqual([
    "answer",
    "early",
    "answer",
    "ok",
    "answer",
    "foreign",
    "late",
  ]);
});

test("a prompt that waits is cancelled like a correct agent's, unless the scenario ignores cancel", async () => {
  await using driver = play({
    rules: [{ on: "session/prompt", do: [{ text: "working" }, { waitMs: 60_000 }, "default"] }],
  });
  const sessionId = await openSession(driver, "/tmp");
  const turn = prompt(driver, sessionId);
  driver.send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
  expect((await turn)["result"]).toEqual({ stopReason: "cancelled" });
  expect(said(driver)).toBe("working");
});

test("after cancel an agent may ignore it, go on asking, and end the turn with an error", async () => {
  await using driver = play({
    rules: [
      { on: "session/prompt", do: [] },
      {
        on: "session/cancel",
        do: [{ permission: {} }, { permission: {} }, { error: { code: -32603, message: "aborted" }, to: "$promptId" }],
      },
    ],
  });
  const sessionId = await openSession(driver, "/tmp");
  const turn = prompt(driver, sessionId);
  driver.send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
  for (const id of [0, 1]) {
    await driver.frame("a permission", (frame) => frame["id"] === id && frame["method"] !== undefined);
    driver.send({ jsonrpc: "2.0", id, result: { outcome: { outcome: "cancelled" } } });
  }
  expect((await turn)["error"]).toEqual({ code: -32603, message: "aborted" });
});

test("permissions are open together, have ids of choice, and lead to steps by their answer", async () => {
  const answered = {
    yes: [{ text: "did it" }],
    cancelled: [{ text: "left it" }],
    error: [{ text: "failed" }],
  } as const;
  const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
  await using driver = play({
    rules: [
      {
        on: "session/prompt",
        do: [
          ...["x", 7, "y"].map((id) => ({ permission: { options }, id, await: false, answered })),
          { notify: "$/cancel_request", params: { requestId: "$requestId" } },
          { awaitAnswers: true },
          "default",
        ],
      },
    ],
  });
  const sessionId = await openSession(driver, "/tmp");
  const turn = prompt(driver, sessionId);
  const withdrawal = await driver.frame("the withdrawal", (frame) => frame["method"] === "$/cancel_request");
  expect(withdrawal["params"]).toEqual({ requestId: "y" });
  driver.send({ jsonrpc: "2.0", id: "y", error: { code: -32800, message: "withdrawn" } });
  driver.send({ jsonrpc: "2.0", id: 7, result: { outcome: { outcome: "cancelled" } } });
  driver.send({ jsonrpc: "2.0", id: "x", result: { outcome: { outcome: "selected", optionId: "yes" } } });
  await turn;
  expect(said(driver)).toBe("failedleft itdid itok");
});

test("rules are chosen by event, text and count", async () => {
  await using driver = play({
    rules: [
      { on: "ping", nth: 2, do: [{ send: { told: "second" } }] },
      { on: "ping", match: '"loud":true', do: [{ send: { told: "loud" } }] },
      { on: "garbage", do: [{ send: { told: "garbage" } }] },
      { on: "response", do: [{ send: { told: "response" } }] },
      { on: "*", do: [{ send: { told: "any" } }] },
    ],
  });
  const lines = [
    '{"method":"ping"}',
    '{"method":"ping"}',
    '{"method":"ping","loud":true}',
    "{",
    '{"id":1,"result":1}',
    '{"method":"x"}',
  ];
  driver.send(`${lines.join("\n")}\n`);
  await driver.frame("the last", () => driver.frames.length === lines.length);
  expect(driver.frames.map(({ told }) => told)).toEqual(["any", "second", "loud", "garbage", "response", "any"]);
});

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

test("it stays through the end of its stdin and TERM when told to", async () => {
  await using driver = play({ ignore: ["eof", "SIGTERM"], rules: [{ on: "eof", do: [{ send: { saw: "eof" } }] }] });
  await driver.request("initialize", { protocolVersion: 1 });
  driver.process.closeStdin();
  await driver.frame("the end of stdin", (frame) => frame["saw"] === "eof");
  expect(await driver.process.stop({ stdinGraceMs: 0, termGraceMs: 100 })).toEqual({ code: null, signal: "SIGKILL" });
});

test("a closed stdin breaks the pipe for the writer", async () => {
  await using driver = play({ rules: [{ on: "initialize", do: [{ close: "stdin" }, "default"] }] });
  await driver.request("initialize", { protocolVersion: 1 });
  await expect.poll(() => driver.process.write("more\n")).toBe(false);
  expect(driver.process.writableBytes).toBe(0);
});

test("a closed stdout ends what can be heard and not the process", async () => {
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

test("a scenario that cannot be played ends the agent with 64 and says why", async () => {
  const broken = [
    ["--scenario", '{"rules":[{"on":"start","do":[{"sned":1}]}]}'],
    ["--scenario", "/nonexistent.json"],
    ["--bad"],
  ];
  for (const args of broken) {
    await using driver = drive([...demoAgentCommand, ...args]);
    expect(await driver.exit).toEqual({ code: 64, signal: null });
    expect(driver.process.stderrTail()).toMatch(/no such step: {"sned":1}|nonexistent|usage/);
  }
});

test("its own updates say where they belong", async () => {
  await using driver = play({});
  const first = await openSession(driver, "/tmp");
  await driver.request("session/new", { cwd: "/tmp", mcpServers: [] });
  await prompt(driver, first);
  expect(updates(driver, "agent_message_chunk")).toHaveLength(1);
  expect(driver.frames.find((frame) => frame["method"] === "session/update")?.["params"]).toMatchObject({
    sessionId: first,
  });
});
