// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { BusClient } from "../../bus-client/index.ts";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import { stoppedAfterTest, testBroker } from "../../bus-client/testing/test-broker.ts";
import { objections } from "../../acp-client/testing/official-schema.ts";
import { scriptedEditor } from "../testing/scripted-editor.ts";
import { ClientServices } from "./client-services.ts";
import { editorMs } from "./editor-calls.ts";
import { terminalsMax, waitMs } from "./editor-terminals.ts";

const everything = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
const session = "aaaaaaaaaaaa";
const face = "acp-aaaaaa";

async function openServices(clientCapabilities: object = everything, name: string | null = "agent") {
  const { broker } = await testBroker();
  const editor = await scriptedEditor(clientCapabilities);
  const clock = new ManualClock();
  const held = new Set([session]);
  const services = new ClientServices({ client: editor.client, holds: (one) => held.has(one), clock });
  const url = () => broker.connectLocal();
  const citizen = stoppedAfterTest(services.serveOn({ bus: new BusClient({ url, name: face }), version: "1" }));
  const caller = stoppedAfterTest(new BusClient({ url, ...(name === null ? {} : { name }) }));
  await Promise.all([citizen.connect(), caller.connect()]);
  const call = async (verb: string, args: object = {}): Promise<readonly [number, Record<string, unknown>]> => {
    const { rc, body } = await caller.call(face, verb, { session, ...args });
    return [rc, JSON.parse(body) as Record<string, unknown>];
  };
  /** Answers the next request of ours to the editor, and returns its params. */
  const answerNext = async (result: unknown) => {
    const { id, params } = await editor.next();
    editor.answer(id, { result });
    return params;
  };
  const create = async (terminalId: string): Promise<void> => {
    const created = call("client.terminal.create", { terminal: terminalId, command: "ls" });
    await answerNext({ terminalId: `editor-${terminalId}` });
    expect(await created).toEqual([0, { terminal: terminalId }]);
  };
  return { editor, services, call, answerNext, create, clock, held, caller };
}

test("a file is read whole through the editor", async () => {
  const { call, editor } = await openServices();
  const read = call("client.fs.read", { path: "/w/a", line: 2 });
  const request = await editor.next();
  expect(request).toMatchObject({ method: "fs/read_text_file", params: { sessionId: session, path: "/w/a" } });
  expect(Object.keys(request.params ?? {})).toEqual(["sessionId", "path"]);
  expect(objections("ReadTextFileRequest", request.params)).toEqual([]);
  editor.answer(request.id, { result: { content: "one\ntwo\n" } });
  expect(await read).toEqual([0, { content: "one\ntwo\n" }]);
});

test.each([[null], [{}]])("a write that is answered with %j has succeeded", async (result) => {
  const { call, answerNext } = await openServices();
  const written = call("client.fs.write", { path: "/w/a", content: "new\n" });
  expect(await answerNext(result)).toEqual({ sessionId: session, path: "/w/a", content: "new\n" });
  expect(await written).toEqual([0, {}]);
});

const nested = [{ _tag: "Fail", error: { code: -32601, message: "Method not found: fs/write_text_file" } }];

test.each([
  [{ result: "Failed to write file: /w/a" }, "EDITOR_FAILED", "Failed to write file: /w/a"],
  [{ error: { code: -32002, message: "no such file\nstack" } }, "EDITOR_FAILED", "no such file"],
  [{ error: { code: -32601, message: "Method not found" } }, "UNSUPPORTED", "Method not found"],
  [{ error: { code: 0, message: "[…]", data: nested } }, "UNSUPPORTED", "Method not found: fs/write_text_file"],
  [{ error: { code: 0, message: "it broke", data: [null] } }, "EDITOR_FAILED", "it broke"],
  [{ error: { code: -32603, message: "" } }, "EDITOR_FAILED", "the editor failed at fs/write_text_file"],
  [{ error: { code: -32603, message: "x".repeat(5000) } }, "EDITOR_FAILED", expect.stringMatching(/^x{900,1000}/)],
])("the answer %j to a write is the refusal %s", async (answer, code, message) => {
  const { call, editor } = await openServices();
  const written = call("client.fs.write", { path: "/w/a", content: "" });
  editor.answer((await editor.next()).id, answer);
  expect(await written).toEqual([10, expect.objectContaining({ error_code: code, message })]);
});

test.each([[{}], [{ content: 7 }], [null]])("a read that is answered with %j has failed", async (result) => {
  const { call, answerNext } = await openServices();
  const read = call("client.fs.read", { path: "/w/a" });
  await answerNext(result);
  expect(await read).toEqual([10, { error_code: "EDITOR_FAILED", message: expect.stringContaining("wrongly") }]);
});

test("an editor is not asked for what it does not offer", async () => {
  const { call, editor } = await openServices({ fs: { readTextFile: true } });
  const refusal = [10, expect.objectContaining({ error_code: "UNSUPPORTED" })];
  expect(await call("client.fs.write", { path: "/w/a", content: "" })).toEqual(refusal);
  expect(await call("client.terminal.create", { command: "ls" })).toEqual(refusal);
  expect(editor.waiting).toEqual([]);
});

test.each([["mcp-s-aaaaaaaaaaaa-abcd"], ["mix-aaaaaa"], [null]])("%s is not served", async (name) => {
  const { call, editor } = await openServices(everything, name);
  expect(await call("client.fs.read", { path: "/w/a" })).toEqual([
    10,
    expect.objectContaining({ error_code: "FORBIDDEN" }),
  ]);
  expect(editor.waiting).toEqual([]);
});

test.each([
  ["client.fs.read", { session: "bbbbbbbbbbbb", path: "/w/a" }, "SESSION_UNKNOWN"],
  ["client.fs.read", {}, "ARGUMENT"],
  ["client.fs.write", { path: "/w/a", content: null }, "ARGUMENT"],
  ["client.terminal.create", { command: "ls", output_byte_limit: -1 }, "ARGUMENT"],
  ["client.terminal.output", { terminal: "nope" }, "TERMINAL_UNKNOWN"],
  ["client.terminal.release", { terminal: "nope" }, "TERMINAL_UNKNOWN"],
  ["QUIT", {}, "UNSUPPORTED"],
])("%s with %j is refused with %s", async (verb, args, code) => {
  const { call, editor } = await openServices();
  expect(await call(verb, args)).toEqual([10, expect.objectContaining({ error_code: code })]);
  expect(editor.waiting).toEqual([]);
});

test.each([
  ["client.fs.read", "UNAVAILABLE"],
  ["client.fs.write", "UNAVAILABLE"],
  ["client.terminal.create", "TIME_LIMIT"],
])("%s of an editor that never answers is refused in time with %s", async (verb, code) => {
  const { call, editor, clock } = await openServices();
  const answer = call(verb, { path: "/w/a", content: "", command: "ls" });
  await editor.next();
  clock.advance(editorMs);
  expect(await answer).toEqual([10, expect.objectContaining({ error_code: code })]);
});

test.each([
  ["client.fs.read", "UNAVAILABLE"],
  ["client.fs.write", "UNAVAILABLE"],
  ["client.terminal.create", "EDITOR_GONE"],
])("%s of an editor that goes away is refused with %s", async (verb, code) => {
  const { call, editor } = await openServices();
  const answer = call(verb, { path: "/w/a", content: "", command: "ls" });
  await editor.next();
  await editor.end();
  expect(await answer).toEqual([10, expect.objectContaining({ error_code: code })]);
});

test("a terminal is created, read, waited for, killed and released", async () => {
  const { call, editor, answerNext, services } = await openServices();
  const env = [{ name: "A", value: "b" }];
  const create = { terminal: "term1", command: "ls", args: ["-l"], cwd: "/w", env, output_byte_limit: 4 };
  const created = call("client.terminal.create", create);
  const request = await editor.next();
  expect(request).toMatchObject({
    method: "terminal/create",
    params: { sessionId: session, command: "ls", args: ["-l"], cwd: "/w", env, outputByteLimit: 4 },
  });
  expect(request.params).not.toHaveProperty("terminal");
  expect(objections("CreateTerminalRequest", request.params)).toEqual([]);
  editor.answer(request.id, { result: { terminalId: "T 1" } });
  expect(await created).toEqual([0, { terminal: "term1" }]);
  expect(services.editorTerminal(session, "term1")).toBe("T 1");
  expect(services.editorTerminal("bbbbbbbbbbbb", "term1")).toBeUndefined();

  const terminal = { terminal: "term1" };
  const output = call("client.terminal.output", terminal);
  // Four bytes from the end would cut the first of the last two characters.
  await answerNext({ output: "aéé!", truncated: false, exitStatus: { exitCode: 0, signal: null } });
  expect(await output).toEqual([0, { output: "é!", truncated: true, exit_status: { exit_code: 0, signal: null } }]);

  const waits = [call("client.terminal.wait", terminal), call("client.terminal.wait", terminal)];
  expect(await answerNext({ exitCode: null, signal: "SIGTERM" })).toEqual({ sessionId: session, terminalId: "T 1" });
  for (const wait of waits) expect(await wait).toEqual([0, { exit_code: null, signal: "SIGTERM" }]);

  const killed = call("client.terminal.kill", terminal);
  await answerNext(null);
  expect(await killed).toEqual([0, {}]);
  const released = call("client.terminal.release", terminal);
  await answerNext({});
  expect(await released).toEqual([0, {}]);
  expect(services.editorTerminal(session, "term1")).toBeUndefined();
});

test("a terminal that agentd gave no id has the editor's", async () => {
  const { call, answerNext } = await openServices();
  const created = call("client.terminal.create", { command: "ls" });
  await answerNext({ terminalId: "pane 1" });
  expect(await created).toEqual([0, { terminal: "pane 1" }]);
});

test("a wait for a command that runs long is pending, and goes on in the editor", async () => {
  const { call, editor, create, clock } = await openServices();
  await create("t");
  const first = call("client.terminal.wait", { terminal: "t" });
  const { id } = await editor.next();
  clock.advance(waitMs);
  expect(await first).toEqual([0, { pending: true }]);
  const second = call("client.terminal.wait", { terminal: "t" });
  await editor.settled();
  editor.answer(id, { result: { exitCode: 3 } });
  expect(await second).toEqual([0, { exit_code: 3, signal: null }]);
  expect(editor.waiting).toEqual([]);
});

test("a wait for a terminal that is released ends, with the exit if the editor still tells it", async () => {
  const { call, editor, create, answerNext, clock } = await openServices();
  await create("t");
  await create("u");
  const waits = [call("client.terminal.wait", { terminal: "t" }), call("client.terminal.wait", { terminal: "u" })];
  const [first, second] = [await editor.next(), await editor.next()];
  for (const terminal of ["t", "u"]) {
    const released = call("client.terminal.release", { terminal });
    await answerNext(null);
    await released;
  }
  editor.answer(first.id, { result: { exitCode: null, signal: "SIGKILL" } });
  expect(await waits[0]).toEqual([0, { exit_code: null, signal: "SIGKILL" }]);
  clock.advance(1_000);
  expect(await editor.next()).toMatchObject({ method: "$/cancel_request", params: { requestId: second.id } });
  expect(await waits[1]).toEqual([10, expect.objectContaining({ error_code: "TERMINAL_UNKNOWN" })]);
});

test("terminals are released with their session, also one that the editor creates too late", async () => {
  const { call, editor, create, services, clock, held } = await openServices();
  await create("t");
  const late = call("client.terminal.create", { command: "ls" });
  const { id } = await editor.next();
  const gone = services.release(session);
  held.delete(session);
  const release = await editor.next();
  expect(release).toMatchObject({ method: "terminal/release", params: { sessionId: session, terminalId: "editor-t" } });
  editor.answer(release.id, { error: { code: -32603, message: "no" } });
  await gone;
  clock.advance(editorMs);
  expect(await late).toEqual([10, expect.objectContaining({ error_code: "TIME_LIMIT" })]);
  editor.answer(id, { result: { terminalId: "late" } });
  const again = await editor.next();
  expect(again).toMatchObject({ method: "terminal/release", params: { terminalId: "late" } });
  editor.answer(again.id, { result: null });
  await editor.settled();
  expect(services.editorTerminal(session, "late")).toBeUndefined();
  expect(clock.pending).toEqual([]);
});

test("a session has a bounded number of terminals in the editor", async () => {
  const { call, create, editor } = await openServices();
  for (let nth = 0; nth < terminalsMax; nth += 1) await create(`t${nth}`);
  expect(await call("client.terminal.create", { command: "ls" })).toEqual([
    10,
    expect.objectContaining({ error_code: "BUSY" }),
  ]);
  expect(editor.waiting).toEqual([]);
});
