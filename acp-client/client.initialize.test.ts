// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { startAgent } from "./client.ts";
import { initialized, newSession, story, underTest } from "./testing/client-under-test.ts";

const settled = (): Promise<void> => Promise.resolve();

test("version 1 is requested, and exactly the served capabilities are advertised", () => {
  const { agent, client, done } = underTest();
  client.initialize(done("initialize"));
  expect(agent.sent("initialize")).toEqual([
    {
      protocolVersion: 1,
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
        auth: { terminal: true },
        _meta: { "terminal-auth": true },
      },
      clientInfo: { name: "agentd", version: "0.1.0" },
    },
  ]);
});

test("a client-side handler that is present is advertised", () => {
  const handler = { serve: () => {} };
  const { agent, client, done } = underTest({
    clientSide: { fs: handler, terminal: handler, elicitation: { modes: ["form"] } },
  });
  client.initialize(done("initialize"));
  expect(agent.sent("initialize")).toMatchObject([
    {
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        elicitation: { form: {} },
      },
    },
  ]);
});

test("the answer 1 is version 1", () => {
  const { agent, client, done, outcomes } = underTest();
  client.initialize(done("initialize"));
  agent.say(agent.answer("initialize", { protocolVersion: 1 }));
  expect(outcomes("initialize")).toMatchObject([{ ok: true, value: { protocolVersion: 1 } }]);
  expect(client.identity?.protocolVersion).toBe(1);
});

test.for([
  [{ protocolVersion: 2 }, "protocol version 2;"],
  [{ protocolVersion: 0 }, "protocol version 0;"],
  [{ protocolVersion: "1" }, 'protocol version "1";'],
  [{ protocolVersion: 65_535 }, "protocol version 65535;"],
  [{ protocolVersion: 1.5 }, "protocol version 1.5;"],
  [{ protocolVersion: true }, "protocol version true;"],
  [{}, "without a protocol version;"],
  [null, "without a protocol version;"],
  ["1", "without a protocol version;"],
] as const)("the answer %j is refused, naming both versions", ([result, said]) => {
  const { agent, client, done, outcomes } = underTest();
  client.initialize(done("initialize"));
  agent.say(agent.answer("initialize", result));
  expect(outcomes("initialize")).toMatchObject([{ ok: false, failure: { code: "AGENT_PROTOCOL" } }]);
  expect(JSON.stringify(outcomes("initialize"))).toContain(JSON.stringify(said).slice(1, -1));
  expect(JSON.stringify(outcomes("initialize"))).toContain("version 1 was asked for");
});

test("the failure says if an agent needs protocol 2", () => {
  const { agent, client, done, outcomes } = underTest();
  client.initialize(done("initialize"));
  const data = { requested: 1, supported: [2, 3] };
  agent.say(agent.refusal("initialize", { code: -32022, message: "unsupported", data }));
  expect(outcomes("initialize")).toMatchObject([
    {
      failure: { code: "AGENT_PROTOCOL", message: expect.stringContaining("needs protocol 2"), rpc: { code: -32022 } },
    },
  ]);
});

test("a program that does not know initialize is not an agent", () => {
  const { agent, client, done, outcomes } = underTest();
  client.initialize(done("initialize"));
  agent.say(agent.refusal("initialize", { code: -32601, message: "what?" }));
  expect(outcomes("initialize")).toMatchObject([{ failure: { code: "AGENT_PROTOCOL", rpc: { code: -32601 } } }]);
});

test("a protocol other than 1 is refused before anything is started", () => {
  const start = () => {
    throw new Error("started");
  };
  const sink = { onEvent: () => {}, onBatchEnd: () => {} };
  const options = { command: ["a"], cwd: "/", env: {}, marker: { name: "M", value: "1" }, start } as const;
  const clientInfo = { name: "agentd", version: "0" };
  expect(() => startAgent({ ...options, clientInfo, protocol: 2 as 1 }, sink)).toThrow(
    expect.objectContaining({ code: "PROTOCOL_UNKNOWN", message: expect.stringContaining("ACP version 2") }),
  );
});

const nothing = {
  load: false,
  resume: false,
  list: false,
  close: false,
  delete: false,
  additionalDirectories: false,
  logout: false,
  promptImage: false,
  promptAudio: false,
  promptEmbeddedContext: false,
  mcpHttp: false,
  mcpSse: false,
  steering: false,
};

test.for([
  {},
  { agentCapabilities: null, agentInfo: null, authMethods: null },
  { agentCapabilities: "all", agentInfo: { name: "no version" }, authMethods: {} },
  { agentCapabilities: { loadSession: "yes", promptCapabilities: 1, mcpCapabilities: [], auth: true } },
  { agentCapabilities: { sessionCapabilities: { list: true, close: "x", delete: null, resume: 1 } } },
  { authMethods: [null, 1, { id: "no name" }, { type: "terminal", id: "t", name: "T", args: "x" }] },
])("the answer %j leaves the defaults", (answer) => {
  const { agent, client, done, outcomes } = underTest();
  client.initialize(done("initialize"));
  agent.say(agent.answer("initialize", { protocolVersion: 1, ...answer }));
  expect(outcomes("initialize")).toEqual([
    { ok: true, value: { protocolVersion: 1, info: null, capabilities: nothing, authMethods: [] } },
  ]);
});

test("the capabilities of a real agent are decoded", () => {
  const { agent, client, done } = underTest();
  client.initialize(done("initialize"));
  agent.say(
    agent.answer("initialize", {
      protocolVersion: 1,
      agentInfo: { name: "codex-acp", title: "Codex", version: "2.6.0" },
      agentCapabilities: {
        auth: { logout: {} },
        providers: {},
        loadSession: true,
        promptCapabilities: { embeddedContext: true, image: true },
        sessionCapabilities: { resume: {}, list: {}, close: {}, delete: {}, fork: {}, additionalDirectories: {} },
        mcpCapabilities: { acp: false, http: true, sse: false },
        _meta: { authStatus: {} },
      },
      authMethods: [
        { id: "api-key", name: "API Key", _meta: { "api-key": { provider: "openai" } } },
        { type: "terminal", id: "login", name: "Log in", args: ["login"], env: null },
        { type: "env_var", id: "env", name: "Environment" },
      ],
      _meta: { steering: { supported: true } },
    }),
  );
  expect(client.identity).toEqual({
    protocolVersion: 1,
    info: { name: "codex-acp", title: "Codex", version: "2.6.0" },
    capabilities: {
      ...nothing,
      load: true,
      resume: true,
      steering: true,
      list: true,
      close: true,
      delete: true,
      additionalDirectories: true,
      logout: true,
      promptImage: true,
      promptEmbeddedContext: true,
      mcpHttp: true,
    },
    authMethods: [
      { id: "api-key", name: "API Key", type: "agent" },
      { id: "login", name: "Log in", type: "terminal", args: ["login"], env: {} },
      { id: "env", name: "Environment", type: "env_var", variables: [] },
    ],
  });
});

test("only initialize is sent before it is answered, then everything else in order", () => {
  const { agent, client, done, heard } = underTest();
  client.open(newSession, done("open"));
  client.initialize(done("initialize"));
  client.listSessions(undefined, done("list"));
  client.cancel();
  expect(agent.frames.map((frame) => frame["method"])).toEqual(["initialize"]);
  const agentCapabilities = { sessionCapabilities: { list: {} } };
  agent.say(agent.answer("initialize", { protocolVersion: 1, agentCapabilities }));
  expect(agent.frames.map((frame) => frame["method"])).toEqual(["initialize", "session/new", "session/list"]);
  expect(story(heard)).toEqual(["done initialize", "|"]);
});

test("when initialize fails, waiting requests fail with the same failure and are not sent", async () => {
  const { agent, client, done, outcomes } = underTest();
  client.initialize(done("initialize"));
  client.open(newSession, done("open"));
  agent.say(agent.answer("initialize", { protocolVersion: 2 }));
  client.prompt([], done("prompt"));
  await settled();
  expect(outcomes("open")).toEqual(outcomes("initialize"));
  expect(outcomes("prompt")).toEqual(outcomes("initialize"));
  expect(agent.frames).toHaveLength(1);
});

test("when initialize times out, the failure quotes the command and the end of stderr", async () => {
  const { agent, client, done, outcomes, ring, heard } = underTest();
  agent.stderr = "Error: Cannot find module 'x'\n";
  client.initialize(done("initialize"));
  client.open(newSession, done("open"));
  expect(ring()).toBe(60_000);
  await settled();
  expect(outcomes("initialize")).toMatchObject([
    { failure: { code: "AGENT_PROTOCOL", stderrTail: "Error: Cannot find module 'x'\n" } },
  ]);
  const text = JSON.stringify(outcomes("initialize"));
  expect(text).toContain("agent --acp");
  expect(text).toContain("did not answer initialize within 60000 ms");
  expect(text).toContain("Cannot find module");
  expect(outcomes("open")).toEqual(outcomes("initialize"));
  expect(story(heard)).toEqual(["done initialize", "done open", "|"]);
  expect(agent.frames.map((frame) => frame["method"])).toEqual(["initialize"]);
});

test("a secret in the command is not quoted", () => {
  const redact = (text: string): string => text.replaceAll("--acp", "***");
  const { client, done, outcomes, ring } = underTest({ redact });
  client.initialize(done("initialize"));
  ring();
  expect(JSON.stringify(outcomes("initialize"))).not.toContain("--acp");
});

test("the timer of an answered request is cancelled", () => {
  const { timers } = initialized();
  expect(timers).toEqual([]);
});

test("a second initialize throws", () => {
  const { client, done } = initialized();
  expect(() => client.initialize(done("again"))).toThrow(expect.objectContaining({ code: "INITIALIZED_TWICE" }));
});
