// SPDX-License-Identifier: MIT OR Apache-2.0
// The client against an agent made with the official SDK, over real pipes.
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newSession } from "./testing/client-under-test.ts";
import { realClient, type RealClient } from "./testing/real-client.ts";

const program = fileURLToPath(new URL("testing/sdk-agent.mjs", import.meta.url));

let agent: RealClient;

beforeAll(async () => {
  agent = realClient([process.execPath, program]);
  await agent.ask((done) => agent.client.initialize(done));
});

afterAll(async () => {
  await agent.client.stop();
});

async function opened(): Promise<RealClient> {
  const fresh = realClient([process.execPath, program]);
  await fresh.ask((done) => fresh.client.initialize(done));
  await fresh.ask((done) => fresh.client.open(newSession, done));
  return fresh;
}

const say = (text: string) => [{ type: "text", text }];

test("the SDK reads our capabilities", () => {
  expect(agent.client.identity).toMatchObject({
    info: { name: "sdk-agent", version: "1.0.0" },
    capabilities: { list: true, close: true, delete: true, logout: true, promptImage: true, load: false },
    authMethods: [{ id: "key", name: "Key", type: "agent" }],
  });
  expect(JSON.parse(agent.client.identity?.info?.title ?? "")).toEqual({
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
    auth: { terminal: true },
    _meta: { "terminal-auth": true },
  });
});

test("a whole turn: options, a tool call, text, a permission, an error and a cancel", async () => {
  const { client, ask, events, event } = await opened();
  expect(await ask((done) => client.prompt(say("hello"), done))).toEqual({
    ok: true,
    value: { stopReason: "end_turn" },
  });
  expect(events).toMatchObject([
    { update: { kind: "tool_call", call: { content: [{ type: "diff", oldText: null }] } } },
    { update: { kind: "message", role: "agent", messageId: "m1", content: { text: "hello" } } },
  ]);

  expect(await ask((done) => client.setOption("mode", "auto", done))).toMatchObject({
    value: { options: [{ option: "mode", value: "auto" }, { option: "pace" }, { option: "loud", value: false }] },
  });
  expect(await ask((done) => client.setOption("loud", true, done))).toMatchObject({
    value: { options: [{}, {}, { option: "loud", value: true }] },
  });

  const asked = event(({ type }) => type === "permission");
  const prompted = ask((done) => client.prompt(say("permission"), done));
  const permission = await asked;
  expect(permission).toMatchObject({
    toolCall: { toolCallId: "t1", title: "Write" },
    options: [{}, { optionId: "no" }],
  });
  client.answer("request" in permission ? permission.request : 0, { outcome: "selected", option: "no" });
  expect(await prompted).toMatchObject({ ok: true });
  expect(events.at(-1)).toMatchObject({ update: { content: { text: '{"outcome":"selected","optionId":"no"}' } } });

  expect(await ask((done) => client.prompt(say("fail"), done))).toMatchObject({
    failure: { code: "AGENT_ERROR", rpc: { code: -32603, data: { why: "asked to" } } },
  });

  const waiting = event(
    (one) => one.type === "update" && one.update.kind === "message" && one.update.role === "thought",
  );
  const cancelled = ask((done) => client.prompt(say("wait"), done));
  await waiting;
  client.cancel();
  expect(await cancelled).toEqual({ ok: true, value: { stopReason: "cancelled" } });
  expect(await client.stop()).toEqual({ code: 0, signal: null });
});

test("an embedded text that the agent does not take reaches it as text", async () => {
  const { client, ask, events } = await opened();
  const resource = { type: "resource", resource: { uri: "file:///a", text: "inside" } };
  await ask((done) => client.prompt([resource], done));
  expect(events.at(-1)).toMatchObject({ update: { content: { text: "file:///a\n\ninside" } } });
  await client.stop();
});

test("login, a session list of two pages, and closing or deleting an unknown session work", async () => {
  const { client, ask } = agent;
  const locked = { ...newSession, cwd: "/locked" };
  expect(await ask((done) => client.open(locked, done))).toMatchObject({
    failure: { code: "AGENT_AUTH", methods: [{ id: "key" }] },
  });
  expect(await ask((done) => client.authenticate("key", done))).toMatchObject({ ok: true });
  expect(await ask((done) => client.open(newSession, done))).toMatchObject({ ok: true });
  expect(await ask((done) => client.listSessions(undefined, done))).toEqual({
    ok: true,
    value: [
      { sessionId: "s1", cwd: "/work" },
      { sessionId: "old", cwd: "/old" },
    ],
  });
  expect(await ask((done) => client.deleteSession("unknown", done))).toMatchObject({ ok: true });
  expect(await ask((done) => client.closeSession(done))).toMatchObject({ ok: true });
  expect(await ask((done) => client.closeSession(done))).toMatchObject({ ok: true });
  expect(await ask((done) => client.logout(done))).toMatchObject({ ok: true });
});
