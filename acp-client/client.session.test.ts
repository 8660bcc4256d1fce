// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { McpServer } from "./model.ts";
import {
  initialized,
  keyMethod,
  newSession,
  opened,
  story,
  textChunk,
  update,
  underTest,
} from "./testing/client-under-test.ts";

const settled = (): Promise<void> => Promise.resolve();

const stdio: McpServer = { name: "files", command: "/bin/files", args: ["-v"], env: [{ name: "A", value: "b" }] };
const http: McpServer = { type: "http", name: "web", url: "http://h/", headers: [{ name: "X", value: "y" }] };
const sse: McpServer = { type: "sse", name: "old", url: "http://h/sse", headers: [] };

test("session/new has an absolute cwd and its MCP servers, a stdio one without a type", () => {
  const { agent, client, done } = initialized({ mcpCapabilities: { http: true, sse: true } });
  client.open({ ...newSession, mcpServers: [stdio, http, sse] }, done("open"));
  expect(agent.sent("session/new")).toEqual([{ cwd: "/work", mcpServers: [stdio, http, sse] }]);
});

test("without servers the list is empty, not absent", () => {
  const { agent, client, done } = initialized();
  client.open(newSession, done("open"));
  expect(agent.sent("session/new")).toEqual([{ cwd: "/work", mcpServers: [] }]);
});

test.for([
  [{ ...newSession, mcpServers: [http] }, 'not support MCP servers over http: "web"'],
  [{ ...newSession, mcpServers: [stdio, sse] }, 'not support MCP servers over sse: "old"'],
  [{ ...newSession, additionalDirectories: ["/more"] }, "not support additional directories"],
  [{ ...newSession, cwd: "work" }, '"work" is not absolute'],
] as const)("what the agent does not support is refused and not sent: %j", async ([request, said]) => {
  const { agent, client, done, outcomes } = initialized();
  client.open(request, done("open"));
  await settled();
  expect(outcomes("open")).toMatchObject([
    { ok: false, failure: { code: "UNSUPPORTED", message: expect.stringContaining(said) } },
  ]);
  expect(agent.sent("session/new")).toEqual([]);
});

test("additional directories are sent to an agent that supports them, but not relative ones", async () => {
  const { agent, client, done, outcomes } = initialized({ sessionCapabilities: { additionalDirectories: {} } });
  client.open({ ...newSession, additionalDirectories: ["/a", "b"] }, done("relative"));
  client.open({ ...newSession, additionalDirectories: ["/a", "/b"] }, done("open"));
  await settled();
  expect(outcomes("relative")).toMatchObject([{ failure: { code: "UNSUPPORTED" } }]);
  expect(agent.sent("session/new")).toEqual([{ cwd: "/work", mcpServers: [], additionalDirectories: ["/a", "/b"] }]);
});

test("updates before the answer to session/new are emitted right after it, in order, in the same batch", () => {
  const { agent, client, done, heard } = initialized();
  client.open(newSession, done("open"));
  agent.say(update("available_commands_update", { availableCommands: [] }), textChunk("early"));
  expect(story(heard)).toEqual([]);
  agent.say(textChunk("early too"), agent.answer("session/new", { sessionId: "s" }), textChunk("after"));
  expect(story(heard)).toEqual(["done open", "commands", "early", "early too", "after", "|"]);
});

test("an update for another session is reported as foreign", () => {
  const { agent, client, done, heard, updates, faults } = initialized();
  client.open(newSession, done("open"));
  agent.say(textChunk("whose?", "other"), agent.answer("session/new", { sessionId: "s" }), textChunk("mine"));
  expect(story(heard)).toEqual(["done open", "extension", "mine", "fault", "|"]);
  expect(updates()[0]).toMatchObject({ kind: "extension", method: "session/update", data: { sessionId: "other" } });
  expect(faults()).toEqual(["foreign-session"]);
});

test("a tool call of another session is emitted with its update, since a permission request may refer to it", () => {
  const run = opened();
  const call = { sessionUpdate: "tool_call", toolCallId: "t", title: "Run", rawInput: { command: "ls" } };
  run.agent.say({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "child", update: call } });
  expect(run.heard[0]).toMatchObject({
    event: {
      update: { kind: "extension" },
      about: { agentSession: "child", call: { toolCallId: "t", title: "Run", rawInput: { command: "ls" } } },
    },
  });
});

test("a permission request before the answer is emitted after it, unless it was cancelled meanwhile", () => {
  const { agent, client, done, heard } = initialized();
  client.open(newSession, done("open"));
  const ask = (id: number, toolCallId: string): object => ({
    jsonrpc: "2.0",
    id,
    method: "session/request_permission",
    params: { sessionId: "s", toolCall: { toolCallId }, options: [] },
  });
  agent.say(ask(1, "kept"), ask(2, "taken back"), {
    jsonrpc: "2.0",
    method: "$/cancel_request",
    params: { requestId: 2 },
  });
  agent.say(agent.answer("session/new", { sessionId: "s" }));
  expect(story(heard)).toEqual(["done open", "permission", "|"]);
  expect(agent.answersTo(2)).toMatchObject([{ result: { outcome: { outcome: "cancelled" } } }]);
  expect(agent.answersTo(1)).toEqual([]);
});

test("when the agent exits before it answers, held updates are emitted and held requests are not", () => {
  const { agent, client, done, heard } = initialized();
  client.open(newSession, done("open"));
  const params = { sessionId: "s", toolCall: { toolCallId: "t" }, options: [] };
  agent.say(textChunk("early"), { jsonrpc: "2.0", id: 1, method: "session/request_permission", params });
  agent.exit();
  expect(story(heard)).toEqual(["done open", "extension", "fault", "exited", "|"]);
  expect(heard[2]).toMatchObject({ event: { fault: "foreign-session", count: 1 } });
});

test("held messages have a limit, and exceeding it is reported", () => {
  const { agent, client, done, heard } = initialized({}, { limits: { heldMessagesMax: 2 } });
  client.open(newSession, done("open"));
  agent.say(textChunk("1"), textChunk("2"), textChunk("3"), textChunk("4"));
  agent.say(agent.answer("session/new", { sessionId: "s" }));
  expect(story(heard)).toEqual(["fault", "|", "done open", "1", "2", "|"]);
  expect(heard[0]).toMatchObject({ event: { fault: "overflow", count: 2 } });
});

test("when session/new fails, held messages are reported as foreign, and another session may be opened", () => {
  const { agent, client, done, heard, outcomes } = initialized();
  client.open(newSession, done("open"));
  agent.say(textChunk("early"), agent.refusal("session/new", { code: -32000, message: "log in first" }));
  expect(story(heard)).toEqual(["done open", "extension", "fault", "|"]);
  client.open(newSession, done("again"));
  agent.say(agent.answer("session/new", { sessionId: "s" }));
  expect(outcomes("again")).toMatchObject([{ ok: true, value: { sessionId: "s" } }]);
});

test("a client opens one session", async () => {
  const { agent, client, done, outcomes } = opened();
  client.open(newSession, done("second"));
  await settled();
  expect(outcomes("second")).toMatchObject([{ failure: { code: "UNSUPPORTED" } }]);
  expect(agent.sent("session/new")).toHaveLength(1);
});

test.for([null, {}, { sessionId: 5 }, "s"])(
  "a result of session/new without a session id is a failure: %j",
  (result) => {
    const { agent, client, done, outcomes } = initialized();
    client.open(newSession, done("open"));
    agent.say(agent.answer("session/new", result));
    expect(outcomes("open")).toMatchObject([{ ok: false, failure: { code: "AGENT_PROTOCOL" } }]);
  },
);

test("-32000 and 401 mean that a login is needed, whatever the message, and the failure lists the methods", () => {
  const { agent, client, done, outcomes } = opened({}, {}, { login: { agent: "mine" } });
  client.prompt([{ type: "text", text: "x" }], done("prompt"));
  agent.say(agent.refusal("session/prompt", { code: -32000, message: "nope" }));
  client.prompt([{ type: "text", text: "x" }], done("prompt"));
  agent.say(agent.refusal("session/prompt", { code: 401, message: "nope" }));
  client.prompt([{ type: "text", text: "x" }], done("prompt"));
  agent.say(agent.refusal("session/prompt", { code: -32603, message: "Authentication required" }));
  expect(outcomes("prompt")).toMatchObject([
    { failure: { code: "AGENT_AUTH", agent: "mine", methods: [keyMethod], rpc: { code: -32000, message: "nope" } } },
    { failure: { code: "AGENT_AUTH", methods: [keyMethod], rpc: { code: 401 } } },
    { failure: { code: "AGENT_ERROR", rpc: { code: -32603 } } },
  ]);
});

test("a terminal method or an unknown one is never passed to authenticate, whose result may be null", async () => {
  const variable = { type: "env_var", id: "env", name: "Variable", vars: [{ name: "MY_KEY" }] };
  const authMethods = [keyMethod, { type: "terminal", id: "tty", name: "Terminal" }, variable];
  const { agent, client, done, outcomes } = underTest();
  client.initialize(done("initialize"));
  agent.say(agent.answer("initialize", { protocolVersion: 1, authMethods }));
  for (const method of ["tty", "env", "unknown", "key"]) client.authenticate(method, done(method));
  agent.say(agent.answer("authenticate", null));
  await settled();
  expect(outcomes("tty")).toMatchObject([{ failure: { code: "UNSUPPORTED" } }]);
  expect(outcomes("env")).toMatchObject([
    { failure: { code: "UNSUPPORTED", message: expect.stringContaining("needs MY_KEY in the agent's environment") } },
  ]);
  expect(outcomes("unknown")).toMatchObject([{ failure: { code: "UNSUPPORTED" } }]);
  expect(outcomes("key")).toEqual([{ ok: true, value: undefined }]);
  expect(agent.sent("authenticate")).toEqual([{ methodId: "key" }]);
});

const listing = { sessionCapabilities: { list: {} } };

test("the list follows the cursors to the last page and drops bad items", () => {
  const { agent, client, done, outcomes } = initialized(listing);
  client.listSessions("/work", done("list"));
  const good = { sessionId: "a", cwd: "/work", title: null, updatedAt: "2026-01-01T00:00:00Z", extra: 1 };
  agent.say(agent.answer("session/list", { sessions: [good, null, { cwd: "/x" }, 3], nextCursor: "next" }));
  agent.say(agent.answer("session/list", { sessions: [{ sessionId: "b", cwd: "/work" }], nextCursor: null }));
  expect(outcomes("list")).toEqual([
    {
      ok: true,
      value: [
        { sessionId: "a", cwd: "/work", title: null, updatedAt: "2026-01-01T00:00:00Z" },
        { sessionId: "b", cwd: "/work" },
      ],
    },
  ]);
  expect(agent.sent("session/list")).toEqual([{ cwd: "/work" }, { cwd: "/work", cursor: "next" }]);
});

test("a repeated cursor ends the list, and so does an invalid one", () => {
  const { agent, client, done, outcomes } = initialized(listing);
  client.listSessions(undefined, done("list"));
  agent.say(agent.answer("session/list", { sessions: [], nextCursor: "a" }));
  agent.say(agent.answer("session/list", { sessions: [], nextCursor: "b" }));
  agent.say(agent.answer("session/list", { sessions: [], nextCursor: "a" }));
  expect(outcomes("list")).toEqual([{ ok: true, value: [] }]);
  client.listSessions(undefined, done("bad"));
  agent.say(agent.answer("session/list", { sessions: "none", nextCursor: 7 }));
  expect(outcomes("bad")).toEqual([{ ok: true, value: [] }]);
});

test("the number of requested pages is limited", () => {
  const { agent, client, done, outcomes } = initialized(listing, { limits: { listPagesMax: 3 } });
  client.listSessions(undefined, done("list"));
  for (const nextCursor of ["1", "2", "3"]) agent.say(agent.answer("session/list", { sessions: [], nextCursor }));
  expect(outcomes("list")).toHaveLength(1);
});

test("a page may have more sessions than a function call takes arguments", () => {
  const { agent, client, done, outcomes } = initialized(listing);
  client.listSessions(undefined, done("list"));
  const sessions = Array.from({ length: 200_000 }, () => ({ sessionId: "a", cwd: "/" }));
  agent.say(agent.answer("session/list", { sessions }));
  const [outcome] = outcomes("list");
  expect(outcome?.ok && (outcome.value as unknown[]).length).toBe(200_000);
});

test("requests that the agent does not support are not sent", async () => {
  const { agent, client, done, outcomes } = opened();
  client.listSessions(undefined, done("gated"));
  client.closeSession(done("gated"));
  client.deleteSession("old", done("gated"));
  client.logout(done("gated"));
  await settled();
  expect(outcomes("gated").map((outcome) => !outcome.ok && outcome.failure.code)).toEqual(
    Array.from({ length: 4 }, () => "UNSUPPORTED"),
  );
  expect(agent.frames.map((frame) => frame["method"])).toEqual(["initialize", "session/new"]);
});

test("close and delete answered with -32002, null or {} succeeded; another error did not", () => {
  const offered = { sessionCapabilities: { close: {}, delete: {} }, auth: { logout: {} } };
  const { agent, client, done, outcomes } = opened(offered);
  for (const error of [
    { code: -32002, message: "gone" },
    { code: -32603, message: "broken" },
  ]) {
    client.closeSession(done("close"));
    agent.say(agent.refusal("session/close", error));
    client.deleteSession("old", done("delete"));
    agent.say(agent.refusal("session/delete", error));
  }
  client.closeSession(done("close"));
  agent.say(agent.answer("session/close", null));
  client.deleteSession("old", done("delete"));
  agent.say(agent.answer("session/delete", {}));
  client.logout(done("logout"));
  agent.say(agent.answer("logout", null));
  const fine = { ok: true, value: undefined };
  const wanted = [fine, { ok: false, failure: { code: "AGENT_ERROR" } }, fine];
  expect(outcomes("close")).toMatchObject(wanted);
  expect(outcomes("delete")).toMatchObject(wanted);
  expect(outcomes("logout")).toEqual([fine]);
});

test("a request that times out fails and is cancelled, and its late answer is ignored", () => {
  const { agent, client, done, outcomes, ring, faults } = opened(listing);
  client.listSessions(undefined, done("list"));
  expect(ring()).toBe(50_000);
  expect(outcomes("list")).toMatchObject([{ failure: { code: "AGENT_PROTOCOL" } }]);
  expect(agent.sent("$/cancel_request")).toHaveLength(1);
  agent.say(agent.answer("session/list", { sessions: [] }));
  expect(outcomes("list")).toHaveLength(1);
  expect(faults()).toEqual([]);
});

test("session/new has its own timeout", () => {
  const { client, done, timers } = initialized({}, { limits: { openTimeoutMs: 1234 } });
  client.open(newSession, done("open"));
  expect(timers.map(({ ms }) => ms)).toEqual([1234]);
});

test("stopping closes the session if the agent supports it, waits at most two seconds, and ends the process", async () => {
  const { agent, client, ring, timers } = opened({ sessionCapabilities: { close: {} } });
  const stopped = client.stop();
  expect(agent.sent("session/close")).toEqual([]); // not before the process tree is recorded
  await Promise.resolve();
  expect(agent.sent("session/close")).toEqual([{ sessionId: "s" }]);
  expect(agent.calls).toEqual(["resume", "rememberTree"]);
  expect(timers).toHaveLength(1);
  expect(ring()).toBe(2000);
  expect(await stopped).toEqual({ code: 0, signal: null });
  expect(client.stop()).toBe(stopped);
  expect(agent.calls).toEqual(["resume", "rememberTree", "stop"]);
});

test("stopping sends no session/close if none is open, if it was closed, or if the agent does not support it", async () => {
  for (const run of [initialized({ sessionCapabilities: { close: {} } }), opened()]) {
    await run.client.stop();
    expect(run.agent.sent("session/close")).toEqual([]);
  }
  const { agent, client, done } = opened({ sessionCapabilities: { close: {} } });
  client.closeSession(done("close"));
  agent.say(agent.answer("session/close", {}));
  await client.stop();
  expect(agent.sent("session/close")).toHaveLength(1);
});

test.for([
  ["new", "session/new"],
  ["load", "session/load"],
  ["resume", "session/resume"],
] as const)("if an agent with login methods does not answer %s, the failure suggests a login", ([how, method]) => {
  const redact = (text: string): string => text.replaceAll("API", "***");
  const { client, done, outcomes, ring } = initialized(
    { loadSession: true, sessionCapabilities: { resume: {} } },
    { redact },
  );
  client.open(how === "new" ? newSession : { ...newSession, how, sessionId: "s" }, done("open"));
  ring();
  const message = `"agent --acp" did not answer ${method} within 60000 ms. It may need a login first: it offers *** key`;
  const methods = [{ id: "key", name: "*** key", type: "agent" }];
  expect(outcomes("open")).toMatchObject([{ failure: { code: "AGENT_PROTOCOL", message, methods } }]);
});

test("a timeout after the session is open does not suggest a login", () => {
  const { client, done, outcomes, ring } = opened({ sessionCapabilities: { list: {} } });
  client.listSessions(undefined, done("list"));
  ring();
  const [outcome] = outcomes("list");
  expect(outcome).toMatchObject({ failure: { message: '"agent --acp" did not answer session/list within 50000 ms' } });
  expect(outcome).not.toHaveProperty("failure.methods");
});

test("only an agent that answered initialize gets a grace period after its stdin is closed", async () => {
  const stop = { stdinGraceMs: 9, termGraceMs: 8 };
  const silent = underTest({ limits: { stop } });
  silent.client.initialize(silent.done("initialize"));
  silent.ring();
  await silent.client.stop();
  expect(silent.agent.stopLimits).toEqual({ stdinGraceMs: 0, termGraceMs: 8 });
  const answered = initialized({}, { limits: { stop } });
  await answered.client.stop();
  expect(answered.agent.stopLimits).toEqual(stop);
});
