// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { scriptedAgent } from "./agent-files.ts";
import { objectionsToAgentFrame } from "../../agentd/demo-agent/testing/agent-frame-schema.ts";
import { drive, openSession, updates } from "../../agentd/demo-agent/testing/driver.ts";
import { play, prompt } from "./play-scenario.ts";

test("without rules it is a correct agent by the official schema", async () => {
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

test("placeholders are replaced by ids of any type, unchanged", async () => {
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

test("responses are wrong in every way that the scenario says", async () => {
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

test("its updates have the session's id", async () => {
  await using driver = play({});
  const first = await openSession(driver, "/tmp");
  await driver.request("session/new", { cwd: "/tmp", mcpServers: [] });
  await prompt(driver, first);
  expect(updates(driver, "agent_message_chunk")).toHaveLength(1);
  expect(driver.frames.find((frame) => frame["method"] === "session/update")?.["params"]).toMatchObject({
    sessionId: first,
  });
});
