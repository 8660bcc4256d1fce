// SPDX-License-Identifier: MIT OR Apache-2.0
// The agent's side as a child process, driven by lines as editors write them.
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { initialize, newSession, openedClient, prompt, rawClient, request } from "./testing/raw-client.ts";

interface Answer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
}

const parsed = (line: string): Answer => JSON.parse(line) as Answer;

test.each([
  ["no JSON", "nope", "null", -32700],
  ["a scalar", "42", "null", -32600],
  ["a string", '"hello"', "null", -32600],
  ["a batch", '[{"jsonrpc":"2.0","id":7,"method":"initialize"}]', "null", -32600],
  ["an empty batch", "[]", "null", -32600],
  ["no jsonrpc", '{"id":7,"method":"initialize","params":{}}', "7", -32600],
  ["no method", '{"id":7}', "7", -32600],
  ["a method that is no string", '{"jsonrpc":"2.0","id":7,"method":1}', "7", -32600],
  ["half a message", '{"jsonrpc":"2.0","id":7,"method":"initialize","params":{', "7", -32700],
  ["half a notification", '{"jsonrpc":"2.0","method":"session/cancel","params":{', "null", -32700],
  ["a request before initialize", '{"jsonrpc":"2.0","id":7,"method":"session/list"}', "7", -32600],
  ["an unknown request", '{"jsonrpc":"2.0","id":7,"method":"_vendor/ping"}', "7", -32601],
  ["a method of objects", '{"jsonrpc":"2.0","id":7,"method":"constructor"}', "7", -32601],
  ["no protocol version", '{"jsonrpc":"2.0","id":7,"method":"initialize"}', "7", -32602],
  ["params that are a list", '{"jsonrpc":"2.0","id":7,"method":"initialize","params":[1]}', "7", -32602],
])("%s is refused once, and the next line is served", async (_what, line, id, code) => {
  await using client = rawClient();
  client.send(line, initialize);
  await client.answer('"init"');
  expect(client.lines).toHaveLength(2);
  const refusal = client.lines.find((one) => !one.includes(`"init"`)) ?? "";
  expect(refusal).toContain(`"id":${id},`);
  expect(parsed(refusal).error).toMatchObject({ code });
});

test("bytes that are not UTF-8 are refused, and the next line is served", async () => {
  await using client = rawClient();
  client.write(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff"}\n', "latin1"));
  client.send(initialize);
  await client.answer('"init"');
  expect(parsed(await client.answer("null")).error).toMatchObject({ code: -32700 });
});

test("a refusal names no more than the beginning of a long method", async () => {
  await using client = rawClient();
  client.send(initialize, `{"jsonrpc":"2.0","id":7,"method":"${"m".repeat(1_000_000)}"}`);
  const refusal = await client.answer("7");
  expect(parsed(refusal).error).toMatchObject({ code: -32601 });
  expect(refusal.length).toBeLessThan(1_000);
});

test("ids are echoed as they were written", async () => {
  await using client = rawClient();
  client.send(initialize);
  await client.answer('"init"');
  const ids = ["0", "-7", "1.0", "1e3", "9007199254740993", '"a b"', String.raw`"\u0061"`, '"1.0"', "null"];
  client.send(...ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"session/list","params":null}`));
  for (const id of ids) expect(parsed(await client.answer(id)).result).toMatchObject({ sessions: [] });
});

test("blank lines and unknown notifications get no answer, nor does a request with a blank id", async () => {
  await using client = rawClient();
  const unknown = ["whatever", "_vendor/told", "$/progress", "session/cancel"].map((method) => ({
    jsonrpc: "2.0",
    method,
  }));
  client.send("", "  ", ...unknown, '{"jsonrpc":"2.0","id":" ","method":"x"}', initialize, ...unknown);
  await client.answer('"init"');
  client.send(request("last", "_vendor/asked"));
  await client.answer('"last"');
  expect(client.lines).toHaveLength(2);
});

test("a byte order mark, CRLF, a lone CR, a cut character, U+2028 and the locale change nothing", async () => {
  await using client = rawClient({ LC_ALL: "C" });
  client.write(`\ufeff${JSON.stringify(initialize)}\r\n`);
  client.send(newSession);
  await client.answer('"new"');
  const line = Buffer.from(`${JSON.stringify(prompt(1, "say ¿qué?\u2028日本🚀")).replace(",", ",\r")}\n`);
  const cut = line.indexOf(Buffer.from("🚀")) + 2;
  client.write(line.subarray(0, cut));
  await client.line((one) => one.includes('"new"'));
  client.write(line.subarray(cut));
  await client.answer("1");
  const said = await client.line((one) => one.includes("session/update"));
  expect(JSON.parse(said)).toMatchObject({ params: { update: { content: { text: "¿qué?\u2028日本🚀" } } } });
});

test("a line over the limit is refused by its id, and the next line is served", async () => {
  await using client = await openedClient();
  client.write('{"jsonrpc":"2.0","id":"long","method":"session/prompt","params":{"sessionId":"s1","prompt":"');
  const piece = Buffer.alloc(1024 * 1024, "x");
  for (let sent = 0; sent <= 64; sent += 1) {
    if (!client.child.stdin.write(piece)) await once(client.child.stdin, "drain");
  }
  client.send('"}}', request(2, "session/list"));
  expect(parsed(await client.answer('"long"')).error).toMatchObject({ code: -32700 });
  expect(parsed(await client.answer("2")).result).toBeDefined();
});

/** A refused request changes nothing, so one agent serves for all of them. */
let shared: Awaited<ReturnType<typeof openedClient>>;
beforeAll(async () => {
  shared = await openedClient();
});
afterAll(() => shared[Symbol.asyncDispose]());

test.each([
  ["session/new", {}, "cwd"],
  ["session/new", { cwd: "" }, "cwd"],
  ["session/new", { cwd: "relative" }, "cwd"],
  ["session/new", { cwd: 7 }, "cwd"],
  ["session/new", { cwd: "/", additionalDirectories: ["/a", "b"] }, "additionalDirectories.1"],
  ["session/new", { cwd: "/", mcpServers: [{ name: "a", command: "b", args: [], env: {} }] }, "mcpServers.0.env"],
  ["session/new", { cwd: "/", mcpServers: [{ type: "sse", name: "a", url: "b", headers: [] }] }, "mcpServers.0"],
  ["session/load", { cwd: "/" }, "sessionId"],
  ["session/list", { cwd: "relative" }, "cwd"],
  ["session/prompt", { prompt: [{ type: "text", text: "" }] }, "sessionId"],
  ["session/prompt", { sessionId: "s1" }, "prompt"],
  ["session/prompt", { sessionId: "s1", prompt: "say" }, "prompt"],
  ["session/prompt", { sessionId: "s1", prompt: [] }, "prompt"],
  ["session/prompt", { sessionId: "s1", prompt: [{ type: "text" }] }, "prompt.0"],
  ["session/prompt", { sessionId: "s1", prompt: [{ type: "audio", data: "", mimeType: "a/b" }] }, "prompt.0"],
  [
    "session/prompt",
    { sessionId: "s1", prompt: [{ type: "resource", resource: { uri: "a:", text: "" } }] },
    "prompt.0",
  ],
])("%s with %j is refused with the field", async (method, params, field) => {
  const id = `${method} ${JSON.stringify(params)}`;
  shared.send(request(id, method, params));
  expect(parsed(await shared.answer(JSON.stringify(id))).error).toMatchObject({ code: -32602, data: { field } });
});

test("servers may be null, args and env left out, and unknown members are ignored", async () => {
  await using client = await openedClient();
  const server = { type: "stdio", name: "a", command: "b", args: null, more: 1 };
  client.send(request(1, "session/new", { cwd: "/", mcpServers: null, _meta: 7, more: 1 }));
  client.send(request(2, "session/new", { cwd: "/", mcpServers: [server] }), request(3, "session/list", { cursor: 7 }));
  const { sessions } = parsed(await client.answer("3")).result as { sessions: { title: string }[] };
  expect(sessions.map(({ title }) => title)).toEqual([
    "null",
    "null",
    JSON.stringify([{ name: "a", command: "b", args: [], env: [] }]),
  ]);
});

test("methods that the agent has not are neither advertised nor served", async () => {
  await using client = rawClient();
  client.send(initialize, request(1, "session/resume", { sessionId: "s1", cwd: "/" }));
  expect(parsed(await client.answer('"init"')).result).toEqual({
    protocolVersion: 1,
    agentInfo: { name: "tested", version: "1.0.0" },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: false },
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: { list: {}, close: {} },
      auth: { logout: {} },
    },
    authMethods: [],
    _meta: { tested: true },
  });
  expect(parsed(await client.answer("1")).error).toMatchObject({ code: -32601 });
});

test("a prompt's answer has the usage and the _meta that the agent gave it", async () => {
  await using client = rawClient();
  client.send(initialize, newSession, prompt(1, "use"), prompt(2, "say x"));
  const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
  expect(parsed(await client.answer("1")).result).toEqual({ stopReason: "end_turn", usage, _meta: { act: "use" } });
  expect(parsed(await client.answer("2")).result).toEqual({ stopReason: "end_turn", _meta: { act: "say" } });
});

test("the agent gets each request's _meta, and those of the client's capabilities", async () => {
  await using client = rawClient();
  const of = (name: string): object => ({ _meta: { name } });
  client.send(
    request("init", "initialize", { protocolVersion: 1, clientCapabilities: of("capabilities"), ...of("init") }),
    request("new", "session/new", { cwd: "/", _meta: { echo: 1 } }),
    request(1, "session/list", { _meta: "no object" }),
    request(2, "session/prompt", { sessionId: "s1", prompt: [{ type: "text", text: "metas" }], ...of("prompt") }),
  );
  expect(parsed(await client.answer('"new"')).result).toMatchObject({ sessionId: "s1", _meta: { echo: 1 } });
  await client.answer("2");
  const metas = [{ name: "init" }, { name: "capabilities" }, { echo: 1 }, {}, { name: "prompt" }];
  const said = await client.line((line) => line.includes("session/update"));
  expect(JSON.parse(said)).toMatchObject({ params: { update: { content: { text: JSON.stringify(metas) } } } });
});

test("session/set_model is served without being advertised", async () => {
  await using client = await openedClient();
  client.send(request(1, "session/set_model", { sessionId: "s1", modelId: "large" }), prompt(2, "model"));
  client.send(request(3, "session/set_model", { sessionId: "s1" }));
  expect(parsed(await client.answer("1")).result).toEqual({});
  expect(parsed(await client.answer("3")).error).toMatchObject({ code: -32602, data: { field: "modelId" } });
  await client.line((line) => line.includes('"text":"large"'));
});

test("a cancel for an unknown session gets no answer, and the agent learns of it", async () => {
  await using client = await openedClient();
  client.send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "none" } }, prompt(1, "say on"));
  await client.answer("1");
  expect(client.lines).toHaveLength(4);
  expect(client.errors()).toBe("cancel of an unknown session\n");
});

test("an exception is an internal error of one line, without its stack, and the session goes on", async () => {
  await using client = await openedClient();
  client.send(prompt(1, "fail"), request(2, "logout"), prompt(3, "say on"));
  expect(parsed(await client.answer("1")).error).toEqual({ code: -32603, message: "it broke" });
  expect(parsed(await client.answer("2")).error).toEqual({ code: -32603, message: "no way out" });
  expect(parsed(await client.answer("3")).result).toEqual({ stopReason: "end_turn", _meta: { act: "say" } });
  expect(client.errors()).toContain("agent.mjs");
});

test("handlers run beside each other, and updates come before their response", async () => {
  await using client = await openedClient();
  client.send(prompt("slow", "wait"), prompt("quick", "say done"));
  await client.answer('"quick"');
  const updates = client.lines.map((line) => line.includes("session/update"));
  expect(updates).toEqual([false, false, true, true, false]);
});

test.each([
  ["session/cancel", { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s1" } }],
  ["session/cancel with a blank id", { jsonrpc: "2.0", id: "", method: "session/cancel", params: { sessionId: "s1" } }],
  ["session/cancel as a request", request("c", "session/cancel", { sessionId: "s1" })],
  ["$/cancel_request", { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 1 } }],
  ["session/close", request("c", "session/close", { sessionId: "s1" })],
])("%s in the same write as a prompt ends it as cancelled", async (_what, cancel) => {
  await using client = await openedClient();
  client.send(prompt(1, "wait"), cancel, request("last", "session/list"));
  expect(parsed(await client.answer("1")).result).toMatchObject({ stopReason: "cancelled" });
  await client.answer('"last"');
  if ("id" in cancel && cancel["id"] === "c") expect(parsed(await client.answer('"c"')).result).toEqual({});
  // A close is answered after its prompts.
  const ids = client.lines.flatMap((line) => /"id":(1|"c"),/u.exec(line)?.[1] ?? []);
  if (_what === "session/close") expect(ids).toEqual(["1", '"c"']);
  expect(client.errors()).toBe("");
});

test("a cancelled turn cancels its permission request, and a late answer is ignored", async () => {
  await using client = await openedClient();
  client.send(prompt(1, "permission"));
  await client.line((one) => one.includes('"id":-1,"method":"session/request_permission"'));
  client.send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s1" } });
  expect(parsed(await client.answer("1")).result).toMatchObject({ stopReason: "cancelled" });
  await client.line((one) => one === '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":-1}}');
  client.send({ jsonrpc: "2.0", id: -1, result: { outcome: { outcome: "selected", optionId: "yes" } } });
  client.send(prompt(2, "say on"));
  await client.answer("2");
  expect(client.errors()).toBe("");
});

test.each([
  [{ result: { outcome: { outcome: "selected", optionId: "yes" } } }, '{"outcome":"selected","option":"yes"}'],
  [{ result: { outcome: { outcome: "selected", optionId: "other" } } }, '{"outcome":"invalid"}'],
  [{ result: { outcome: { outcome: "cancelled" } } }, '{"outcome":"cancelled"}'],
  [{ result: { outcome: "selected", optionId: "yes" } }, '{"outcome":"invalid"}'],
  [{ result: "yes" }, '{"outcome":"invalid"}'],
  [{ result: null }, '{"outcome":"invalid"}'],
  [{ error: { code: -32603, message: "no" } }, '{"outcome":"invalid"}'],
])("the answer %j to a permission means %s", async (answer, outcome) => {
  await using client = await openedClient();
  client.send(prompt(1, "permission"));
  await client.line((one) => one.includes("session/request_permission"));
  // The client's own ids are its own, also where they look like ours.
  client.send(request(-1, "session/list"), { jsonrpc: "2.0", id: -1, ...answer });
  await client.answer("1");
  expect(client.lines.some((line) => line.includes(JSON.stringify(outcome)))).toBe(true);
  expect(parsed(await client.answer("-1")).result).toBeDefined();
});

test.each([
  [{ result: { content: "hi" } }, '{"content":"hi"}'],
  [{ result: null }, "{}"],
])("the answer %j to a file request is %s", async (answer, said) => {
  await using client = await openedClient({ fs: { readTextFile: true } });
  client.send(prompt(1, "fs/read_text_file /a"));
  await client.line((one) => one.includes('"id":-1,"method":"fs/read_text_file"'));
  client.send({ jsonrpc: "2.0", id: -1, ...answer });
  await client.answer("1");
  expect(client.lines.some((line) => line.includes(JSON.stringify(said)))).toBe(true);
});

test.each([
  [{ result: "could not read" }, { code: -32603, message: "could not read" }],
  [
    { error: { code: -32002, message: "gone", data: { path: "/a" } } },
    { code: -32002, message: "gone", data: { path: "/a" } },
  ],
  [{ error: { code: -32603, message: "gone:\r\n  it was moved\n" } }, { code: -32603, message: "gone: it was moved" }],
  [{ error: { code: -32603, message: "" } }, { code: -32603, message: "Internal error" }],
])("the answer %j to a file request fails it", async (answer, error) => {
  await using client = await openedClient({ fs: { readTextFile: true } });
  client.send(prompt(1, "fs/read_text_file /a"));
  await client.line((one) => one.includes("fs/read_text_file"));
  client.send({ jsonrpc: "2.0", id: -1, ...answer });
  expect(parsed(await client.answer("1")).error).toEqual(error);
});

test("a client is not asked what it does not offer", async () => {
  await using client = await openedClient({
    fs: { readTextFile: "yes" },
    terminal: false,
    elicitation: { form: true },
  });
  const acts = ["fs/read_text_file /a", "fs/write_text_file /a", "terminal/create", "form", "session/update"];
  client.send(...acts.map((act, index) => prompt(index, act)));
  for (const index of acts.keys()) expect(parsed(await client.answer(String(index))).error?.code).toBe(-32601);
  expect(client.lines.some((line) => line.includes('"method"'))).toBe(false);
});

test.each([
  [{ result: { action: "accept", content: { a: 1 } } }, '{"outcome":"accept","content":{"a":1}}'],
  [{ result: { action: "decline" } }, '{"outcome":"decline"}'],
  [{ result: { action: "maybe" } }, '{"outcome":"cancel"}'],
  [{ error: { code: -32603, message: "no" } }, '{"outcome":"cancel"}'],
])("the answer %j to a form means %s", async (answer, said) => {
  await using client = await openedClient({ elicitation: { form: {} } });
  client.send(prompt(1, "form"));
  await client.line((one) => one.includes("elicitation/create"));
  client.send({ jsonrpc: "2.0", id: -1, ...answer });
  await client.answer("1");
  expect(client.lines.some((line) => line.includes(JSON.stringify(said)))).toBe(true);
});

test("an agent waits for a slow reader, serves it meanwhile, and loses nothing", async () => {
  await using client = await openedClient();
  client.child.stdout.pause();
  const count = 20_000;
  client.send(prompt("flood", `flood ${count}`));
  await new Promise((resolve) => setTimeout(resolve, 300));
  client.send(prompt("other", "unwritten"));
  await new Promise((resolve) => setTimeout(resolve, 300));
  client.child.stdout.resume();
  await client.answer('"other"');
  await client.answer('"flood"');
  expect(client.lines.filter((line) => line.includes("xxx"))).toHaveLength(count);
  const [unwritten = Infinity] = client.lines.flatMap((line) => Number(/"text":"(\d+)"/u.exec(line)?.[1] ?? "") || []);
  expect(unwritten).toBeLessThan(100_000);
  expect(client.errors()).toBe("");
});
