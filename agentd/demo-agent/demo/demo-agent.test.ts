// SPDX-License-Identifier: MIT OR Apache-2.0
import { randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { demoAgentCommand } from "../testing/demo-agent-command.ts";
import { objectionsToAgentFrame } from "../testing/agent-frame-schema.ts";
import { drive, openSession, promptOf, said, updates, type Driver, type Frame } from "../testing/driver.ts";
import { acts } from "./acts.ts";

const booleans = { session: { configOptions: { boolean: {} } } };

let directory: string;
let cwd: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "demo-agent-"));
  cwd = join(directory, "work");
  mkdirSync(cwd);
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Sets the pace to fast. */
async function openFast(driver: Driver, clientCapabilities: object = {}): Promise<string> {
  const sessionId = await openSession(driver, cwd, clientCapabilities);
  await driver.request("session/set_config_option", { sessionId, configId: "pace", value: "fast" });
  return sessionId;
}

function permissionAsked(driver: Driver): Promise<Frame> {
  return driver.frame("a permission request", (frame) => frame["method"] === "session/request_permission");
}

function answer(driver: Driver, request: Frame, optionId: string): void {
  driver.send({ jsonrpc: "2.0", id: request["id"], result: { outcome: { outcome: "selected", optionId } } });
}

test("every frame of a tour through all acts is valid by the official schema", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver, booleans);
  const tour = ["help", "hello", "plan", "write a.txt", "write a.txt again", "read a.txt", "read none", "list"];
  for (const prompt of [...tour, "count 20", "slow 1", "markdown", "fail", "what is this?", "/read a.txt", ""])
    await driver.request("session/prompt", promptOf(sessionId, prompt));
  const asking = driver.request("session/prompt", promptOf(sessionId, "ask write b.txt"));
  answer(driver, await permissionAsked(driver), "allow");
  await asking;
  await driver.request("session/set_mode", { sessionId, modeId: "ask" });
  await driver.request("session/set_config_option", { sessionId, configId: "mode", value: "auto" });
  await driver.request("session/set_config_option", { sessionId, configId: "thoughts", type: "boolean", value: false });
  for (const method of ["session/list", "session/close", "session/delete", "session/nonsense"])
    await driver.request(method, method === "session/list" ? {} : { sessionId });
  expect(driver.frames.flatMap((frame) => objectionsToAgentFrame(frame, driver.asked))).toEqual([]);
  const variants = new Set(["agent_message_chunk", "agent_thought_chunk", "plan", "tool_call", "tool_call_update"]);
  for (const variant of [...variants, "usage_update", "session_info_update", "available_commands_update"])
    expect(updates(driver, variant).length).toBeGreaterThan(0);
});

test("if the client writes files, write uses it, and reports its refusal in a message", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver, { fs: { readTextFile: true, writeTextFile: true } });
  const writes = async (name: string, outcome: object): Promise<Frame> => {
    const turn = driver.request("session/prompt", promptOf(sessionId, `write ${name} new`));
    const path = join(realpathSync(cwd), name);
    const asked = await driver.frame(
      "a write",
      ({ method, params }) => method === "fs/write_text_file" && (params as { path: string }).path === path,
    );
    expect(asked["params"]).toEqual({ sessionId, path, content: "new\n" });
    driver.send({ jsonrpc: "2.0", id: asked["id"], ...outcome });
    return await turn;
  };
  expect(await writes("a.txt", { result: {} })).toMatchObject({ result: { stopReason: "end_turn" } });
  expect(await writes("b.txt", { error: { code: -32602, message: "not today" } })).toMatchObject({
    result: { stopReason: "end_turn" },
  });
  expect(said(driver)).toContain("I cannot: not today");
  expect(existsSync(join(cwd, "a.txt"))).toBe(false);
  expect(driver.frames.flatMap((frame) => objectionsToAgentFrame(frame, driver.asked))).toEqual([]);
});

test("in auto mode write writes a file without asking, and its diff has the old text", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  const reply = await driver.request("session/prompt", promptOf(sessionId, "write hello.txt"));
  expect(reply["result"]).toEqual({ stopReason: "end_turn" });
  const first = readFileSync(join(cwd, "hello.txt"), "utf8");
  await driver.request("session/prompt", promptOf(sessionId, "write hello.txt two\nlines"));
  expect(readFileSync(join(cwd, "hello.txt"), "utf8")).toBe("two\nlines\n");
  const path = join(cwd, "hello.txt");
  expect(updates(driver, "tool_call").map((call) => call["content"])).toEqual([
    [{ type: "diff", path, oldText: null, newText: first }],
    [{ type: "diff", path, oldText: first, newText: "two\nlines\n" }],
  ]);
});

test.each([
  ["allow", "new\n"],
  ["reject", "old"],
  ["no-such-option", "old"],
])("in mode ask the answer %s leaves the file as %j", async (optionId, text) => {
  writeFileSync(join(cwd, "a.txt"), "old");
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  await driver.request("session/set_mode", { sessionId, modeId: "ask" });
  const turn = driver.request("session/prompt", promptOf(sessionId, "write a.txt new"));
  const request = await permissionAsked(driver);
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("old");
  answer(driver, request, optionId);
  expect((await turn)["result"]).toEqual({ stopReason: "end_turn" });
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe(text);
});

test("ask read asks before it shows a file, with a tool call that a policy can decide about", async () => {
  writeFileSync(join(cwd, "a.txt"), "pelican");
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  const refused = driver.request("session/prompt", promptOf(sessionId, "ask read a.txt"));
  const request = await permissionAsked(driver);
  const path = join(realpathSync(cwd), "a.txt");
  expect(request["params"]).toMatchObject({ toolCall: { kind: "read", locations: [{ path }] } });
  answer(driver, request, "reject");
  await refused;
  expect(said(driver)).not.toContain("pelican");
  const allowed = driver.request("session/prompt", promptOf(sessionId, "ask read a.txt"));
  const isSecond = ({ method, id }: Frame) => method === "session/request_permission" && id !== request["id"];
  answer(driver, await driver.frame("another request", isSecond), "allow");
  await allowed;
  expect(said(driver)).toContain("pelican");
  expect(driver.frames.flatMap((frame) => objectionsToAgentFrame(frame, driver.asked))).toEqual([]);
});

test("context that a client puts before the prompt is neither the prompt nor the session's title", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  const before = "The conversation so far, from the log of an earlier session:\n\n[user] list";
  const blocks = [before, "write a.txt new"].map((text) => ({ type: "text", text }));
  await driver.request("session/prompt", { sessionId, prompt: blocks });
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("new\n");
  expect(updates(driver, "session_info_update")[0]).toMatchObject({ title: "write a.txt new" });
});

test("of messages in avante.nvim's tags the first is the prompt", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  const tagged = ["write a.txt new", "write a.txt old"].map(
    (text) => `<previous_user_message>${text}</previous_user_message>`,
  );
  const blocks = [...tagged, "<system_context>two messages</system_context>"].map((text) => ({ type: "text", text }));
  await driver.request("session/prompt", { sessionId, prompt: blocks });
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("new\n");
});

test("an error or a cancelled outcome counts as a no", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  const answers = [{ error: { code: -32603, message: "no" } }, { result: { outcome: { outcome: "cancelled" } } }];
  for (const [index, told] of answers.entries()) {
    const turn = driver.request("session/prompt", promptOf(sessionId, `ask write file-${index}`));
    const id = await driver.frame(
      "a request",
      (one) => one["method"] === "session/request_permission" && one["id"] === -1 - index,
    );
    driver.send({ jsonrpc: "2.0", id: id["id"], ...told });
    expect((await turn)["result"]).toEqual({ stopReason: "end_turn" });
    expect(existsSync(join(cwd, `file-${index}`))).toBe(false);
  }
});

test("after allow_always the session does not ask about that kind again", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  const turn = driver.request("session/prompt", promptOf(sessionId, "ask write a.txt"));
  answer(driver, await permissionAsked(driver), "allow-always");
  await turn;
  await driver.request("session/prompt", promptOf(sessionId, "ask write b.txt"));
  expect(existsSync(join(cwd, "b.txt"))).toBe(true);
  expect(driver.frames.filter((frame) => frame["method"] === "session/request_permission")).toHaveLength(1);
  const reading = driver.request("session/prompt", promptOf(sessionId, "ask read b.txt"));
  const isRead = ({ method, params }: Frame) =>
    method === "session/request_permission" && (params as { toolCall: { kind: string } }).toolCall.kind === "read";
  answer(driver, await driver.frame("a request to read", isRead), "reject");
  await reading;
});

test("no name leads out of the working directory", async () => {
  const outside = join(directory, "outside.txt");
  writeFileSync(outside, "mine");
  symlinkSync(outside, join(cwd, "link"));
  symlinkSync(directory, join(cwd, "up"));
  symlinkSync(join(directory, "new.txt"), join(cwd, "dangling"));
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  for (const name of [
    "../outside.txt",
    outside,
    "link",
    "up/outside.txt",
    "up/new.txt",
    "dangling",
    "../new.txt",
    ".",
    "..",
  ]) {
    for (const prompt of [`write ${name} stolen`, `read ${name}`]) {
      const reply = await driver.request("session/prompt", promptOf(sessionId, prompt));
      expect(reply["result"]).toEqual({ stopReason: "end_turn" });
    }
  }
  expect(readFileSync(outside, "utf8")).toBe("mine");
  expect(existsSync(join(directory, "new.txt"))).toBe(false);
  expect(said(driver).match(/I cannot: /g)).toHaveLength(18);
  expect(said(driver)).not.toContain("mine");
});

test("cancel ends a turn at once as cancelled, and the session goes on", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  const turn = driver.request("session/prompt", promptOf(sessionId, "slow 600"));
  await driver.frame("the turn speaks", (frame) => JSON.stringify(frame).includes("600…"));
  const cancelled = performance.now();
  driver.send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
  expect((await turn)["result"]).toEqual({ stopReason: "cancelled" });
  expect(performance.now() - cancelled).toBeLessThan(500);
  const next = await driver.request("session/prompt", promptOf(sessionId, "hello"));
  expect(next["result"]).toEqual({ stopReason: "end_turn" });
});

test("cancel while a permission is pending cancels the request, closes the tool call, and writes nothing", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  const turn = driver.request("session/prompt", promptOf(sessionId, "ask write a.txt"));
  const request = await permissionAsked(driver);
  driver.send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
  expect((await turn)["result"]).toEqual({ stopReason: "cancelled" });
  const withdrawal = await driver.frame("a withdrawal", (frame) => frame["method"] === "$/cancel_request");
  expect(withdrawal["params"]).toEqual({ requestId: request["id"] });
  expect(updates(driver, "tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  answer(driver, request, "allow"); // too late
  await driver.request("session/prompt", promptOf(sessionId, "hello"));
  expect(existsSync(join(cwd, "a.txt"))).toBe(false);
});

test("a cancel in the same write as its prompt, and one while nothing runs, do no harm", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  const cancel = { jsonrpc: "2.0", method: "session/cancel", params: { sessionId } };
  const prompt = { jsonrpc: "2.0", id: 7, method: "session/prompt", params: promptOf(sessionId, "slow 600") };
  driver.send(`${JSON.stringify(cancel)}\n${JSON.stringify(prompt)}\n${JSON.stringify(cancel)}\n`);
  const reply = await driver.frame("the reply", (frame) => frame["id"] === 7);
  expect(reply["result"]).toEqual({ stopReason: "cancelled" });
});

test("$/cancel_request for a prompt cancels its turn", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  driver.send({ jsonrpc: "2.0", id: "p", method: "session/prompt", params: promptOf(sessionId, "slow 600") });
  driver.send({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: "p" } });
  const reply = await driver.frame("the reply", (frame) => frame["id"] === "p");
  expect(reply["result"]).toEqual({ stopReason: "cancelled" });
});

test("setting the mode as a mode or as an option has the same effect", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  await driver.request("session/set_mode", { sessionId, modeId: "ask" });
  expect(updates(driver, "config_option_update").at(-1)).toMatchObject({
    configOptions: [{ id: "mode", currentValue: "ask" }, {}],
  });
  const reply = await driver.request("session/set_config_option", { sessionId, configId: "mode", value: "auto" });
  expect(reply["result"]).toMatchObject({
    configOptions: [
      { id: "mode", currentValue: "auto" },
      { id: "pace", currentValue: "fast" },
    ],
  });
  expect(updates(driver, "current_mode_update")).toEqual([
    { sessionUpdate: "current_mode_update", currentModeId: "auto" },
  ]);
});

test("the boolean option is offered to clients that support booleans, and turns thoughts off", async () => {
  await using plain = drive(demoAgentCommand);
  const without = await openFast(plain);
  const refused = await plain.request("session/set_config_option", {
    sessionId: without,
    configId: "thoughts",
    type: "boolean",
    value: false,
  });
  expect(refused["error"]).toMatchObject({ code: -32602 });
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver, booleans);
  await driver.request("session/set_config_option", { sessionId, configId: "thoughts", type: "boolean", value: false });
  await driver.request("session/prompt", promptOf(sessionId, "plan"));
  expect(updates(driver, "agent_thought_chunk")).toEqual([]);
});

test("a second prompt while one runs is refused and the first goes on", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  const first = driver.request("session/prompt", promptOf(sessionId, "slow 1"));
  expect((await driver.request("session/prompt", promptOf(sessionId, "hello")))["error"]).toMatchObject({
    code: -32600,
  });
  expect((await first)["result"]).toEqual({ stopReason: "end_turn" });
});

test("requests that cannot be served get ACP's errors", async () => {
  await using driver = drive(demoAgentCommand);
  const codeOf = async (method: string, params: object): Promise<unknown> =>
    ((await driver.request(method, params))["error"] as { code: number } | undefined)?.code;
  expect(await codeOf("session/new", { cwd, mcpServers: [] })).toBe(-32600);
  expect(await codeOf("initialize", { protocolVersion: "1" })).toBe(-32602);
  expect(await codeOf("initialize", { protocolVersion: 99 })).toBeUndefined();
  expect(await codeOf("session/new", { cwd: "relative", mcpServers: [] })).toBe(-32602);
  expect(await codeOf("session/new", { cwd })).toBe(-32602);
  expect(await codeOf("session/prompt", promptOf("none", "hello"))).toBe(-32002);
  for (const sessionId of ["none", "../main", randomUUID()])
    for (const method of ["session/load", "session/resume"])
      expect(await codeOf(method, { sessionId, cwd, mcpServers: [] })).toBe(-32002);
  expect(await codeOf("session/load", { sessionId: "none", cwd })).toBe(-32602);
  expect(await codeOf("session/fork", { sessionId: "none", cwd })).toBe(-32601);
  expect(await codeOf("constructor", {})).toBe(-32601);
  driver.send("this is no JSON\n[1]\n");
  await driver.frame("a parse error", (frame) => (frame["error"] as { code?: number } | undefined)?.code === -32700);
  await driver.frame("an invalid request", (frame) => frame["id"] === null && JSON.stringify(frame).includes("-32600"));
});

test("sessions are listed by directory until they are deleted, and deleting a missing session succeeds", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  await driver.request("session/new", { cwd: directory, mcpServers: [] });
  const listed = async (params: object): Promise<string[]> => {
    const reply = await driver.request("session/list", params);
    return (reply["result"] as { sessions: { sessionId: string }[] }).sessions.map((session) => session.sessionId);
  };
  expect(await listed({ cwd })).toEqual([sessionId]);
  expect(await listed({})).toHaveLength(2);
  const running = driver.request("session/prompt", promptOf(sessionId, "slow 600"));
  expect((await driver.request("session/close", { sessionId }))["result"]).toEqual({});
  expect((await running)["result"]).toEqual({ stopReason: "cancelled" });
  expect(await listed({ cwd })).toEqual([sessionId]);
  for (const _ of [1, 2]) expect((await driver.request("session/delete", { sessionId }))["result"]).toEqual({});
  expect(await listed({ cwd })).toEqual([]);
});

test("count streams one chunk per number under one message id", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  await driver.request("session/prompt", promptOf(sessionId, "count 500"));
  const chunks = updates(driver, "agent_message_chunk");
  expect(chunks).toHaveLength(500);
  expect(new Set(chunks.map((chunk) => chunk["messageId"])).size).toBe(1);
});

test("help names every act", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  await driver.request("session/prompt", promptOf(sessionId, "help"));
  for (const { usage } of acts.values()) expect(said(driver)).toContain(usage);
});

test("it exits when its stdin ends, also in the middle of a turn", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver);
  driver.send({ jsonrpc: "2.0", id: 1, method: "session/prompt", params: promptOf(sessionId, "slow 600") });
  await driver.frame("the turn speaks", (frame) => JSON.stringify(frame).includes("600…"));
  driver.process.closeStdin();
  expect(await driver.exit).toEqual({ code: 0, signal: null });
});

test("a client with forms is asked one, which help lists; another client is neither asked nor shown it in help", async () => {
  await using driver = drive(demoAgentCommand);
  const sessionId = await openFast(driver, { elicitation: { form: {} } });
  await driver.request("session/prompt", promptOf(sessionId, "help"));
  expect(said(driver)).toContain("ask form");
  const asking = driver.request("session/prompt", promptOf(sessionId, "ask form"));
  const form = await driver.frame("a form", (frame) => frame["method"] === "elicitation/create");
  driver.send({ jsonrpc: "2.0", id: form["id"], result: { action: "accept", content: { name: "Ann", polite: true } } });
  expect((await asking)["result"]).toEqual({ stopReason: "end_turn" });
  expect(said(driver)).toContain('name: "Ann"');
  const declining = driver.request("session/prompt", promptOf(sessionId, "ask form"));
  const isSecond = (frame: Frame) => frame["method"] === "elicitation/create" && frame["id"] !== form["id"];
  const second = await driver.frame("another form", isSecond);
  driver.send({ jsonrpc: "2.0", id: second["id"], result: { action: "decline" } });
  await declining;
  expect(said(driver)).toContain("rather not say");
  expect(driver.frames.flatMap((frame) => objectionsToAgentFrame(frame, driver.asked))).toEqual([]);

  await using other = drive(demoAgentCommand);
  const without = await openFast(other);
  await other.request("session/prompt", promptOf(without, "help"));
  await other.request("session/prompt", promptOf(without, "ask form"));
  expect(said(other)).not.toContain("ask form");
  expect(other.frames.filter((frame) => frame["method"] === "elicitation/create")).toEqual([]);
});

test("another process loads a session with its conversation before the response, or resumes it without", async () => {
  const sessions = join(directory, "sessions");
  const command = [...demoAgentCommand, sessions] as const;
  let sessionId: string;
  let told: object[];
  {
    await using driver = drive(command);
    sessionId = await openFast(driver, booleans);
    await driver.request("session/set_mode", { sessionId, modeId: "ask" });
    await driver.request("session/prompt", promptOf(sessionId, "count 20"));
    const writing = driver.request("session/prompt", promptOf(sessionId, "write a.txt new"));
    answer(driver, await permissionAsked(driver), "allow-always");
    await writing;
    told = conversationIn(driver);
    await driver.request("session/close", { sessionId });
  }
  expect(statSync(sessions).mode & 0o777).toBe(0o700);
  expect(readdirSync(sessions)).toEqual([`${sessionId}.json`]);
  expect(statSync(join(sessions, `${sessionId}.json`)).mode & 0o777).toBe(0o600);

  await using loading = drive(command);
  await loading.request("initialize", { protocolVersion: 1, clientCapabilities: booleans });
  const loaded = await loading.request("session/load", { sessionId, cwd, mcpServers: [] });
  expect(loaded["result"]).toMatchObject({
    modes: { currentModeId: "ask" },
    configOptions: [{}, { currentValue: "fast" }, {}],
  });
  const replayed = loading.frames.slice(0, loading.frames.indexOf(loaded));
  expect(conversationIn({ ...loading, frames: replayed })).toEqual([
    { user: "count 20" },
    ...told.slice(0, 1),
    { user: "write a.txt new" },
    ...told.slice(1),
  ]);
  // What it was allowed once and for all it is still allowed.
  await loading.request("session/prompt", promptOf(sessionId, "write b.txt new"));
  expect(existsSync(join(cwd, "b.txt"))).toBe(true);
  expect(loading.frames.flatMap((frame) => objectionsToAgentFrame(frame, loading.asked))).toEqual([]);

  await using resuming = drive(command);
  await resuming.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const resumed = await resuming.request("session/resume", { sessionId, cwd });
  expect(resumed["result"]).toMatchObject({ modes: { currentModeId: "ask" } });
  await resuming.frame("its commands", (frame) => JSON.stringify(frame).includes("available_commands_update"));
  expect(conversationIn(resuming)).toEqual([]);
  expect(resuming.frames.flatMap((frame) => objectionsToAgentFrame(frame, resuming.asked))).toEqual([]);
});

/** What was said and done: texts by their speaker, and the status of tool calls. */
function conversationIn(driver: Pick<Driver, "frames">): object[] {
  const rows: Record<string, string>[] = [];
  for (const frame of driver.frames) {
    if (frame["method"] !== "session/update") continue;
    const { update } = frame["params"] as { update: { sessionUpdate: string; status?: string; content?: unknown } };
    const [, role] = /^(user|agent)_message_chunk$/.exec(update.sessionUpdate) ?? [];
    const last = rows.at(-1);
    const { text = "" } = (update.content ?? {}) as { text?: string };
    if (role === undefined) {
      if (update.sessionUpdate.startsWith("tool_call")) rows.push({ tool: update.status ?? "" });
    } else if (last?.[role] === undefined) rows.push({ [role]: text });
    else last[role] += text;
  }
  return rows;
}

test("an MCP server that cannot even be spawned is one that failed: the session goes on without it", async () => {
  await using driver = drive(demoAgentCommand);
  await driver.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const server = { name: "mixos", command: "no\0program", args: [], env: [] };
  const opened = await driver.request("session/new", { cwd, mcpServers: [server] });
  const { sessionId } = opened["result"] as { sessionId: string };
  await driver.request("session/prompt", promptOf(sessionId, "bus"));
  expect(said(driver)).toContain("The Bus did not answer");
});
