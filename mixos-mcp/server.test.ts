// SPDX-License-Identifier: MIT OR Apache-2.0
// The built program, driven by the SDK's own client.
import { setMaxListeners } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createBroker } from "../bus-client/broker/index.ts";
import { done, serveCitizen, unixUrl } from "../bus-client/index.ts";
import { verb } from "../bus-client/testing/served-citizen.ts";
import { temporaryDirectory } from "../bus-client/testing/temporary-directory.ts";
import { argumentsDepthMax, callsMax, resultBytesMax, timeoutMsMax, waitsMax } from "./limits.ts";
import { busWithServices } from "./testing/bus-with-services.ts";
import { serverUnderTest } from "./testing/server-process.ts";

test("it lists its five tools, each with a schema of its arguments", async () => {
  const { env } = await busWithServices();
  const { client } = await serverUnderTest(env);
  const { tools } = await client.listTools();
  const required = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema.required ?? []]));
  expect(required).toEqual({
    bus_services: [],
    bus_help: ["service"],
    bus_call: ["service", "command"],
    bus_publish: ["topic", "body"],
    bus_wait: ["topic"],
  });
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name)).toEqual([
    "bus_services",
    "bus_help",
    "bus_wait",
  ]);
});

test("a service is listed, describes its commands and is called, and receives the caller's name", async () => {
  const { env } = await busWithServices();
  const { tool } = await serverUnderTest(env);
  const { services } = JSON.parse((await tool("bus_services")).texts[0] ?? "") as {
    services: { name: string; binary?: string }[];
  };
  const own = services.find(({ binary }) => binary === "mixos-mcp")?.name ?? "";
  expect(own).toMatch(/^mcp-[a-z2-7]{6}$/);
  expect(services.map(({ name }) => name)).toContain("echo");
  const help = JSON.parse((await tool("bus_help", { service: "echo" })).texts[0] ?? "") as {
    commands: { name: string }[];
  };
  expect(help.commands.map(({ name }) => name)).toContain("echo.say");
  const said = await tool("bus_call", { service: "echo", command: "echo.say", args: { text: "hi" } });
  expect(said.isError).toBe(false);
  expect(JSON.parse(said.texts[0] ?? "")).toEqual({ said: "hi", to: own });
});

test("in a session it has the name by which agentd recognises the session's own agent", async () => {
  const { env, untilNames } = await busWithServices();
  await serverUnderTest({ ...env, AGENTD_SESSION: "llllllllllll/ssssssssssss" });
  const isOwn = (name: string) => /^mcp-s-ssssssssssss-[a-z2-7]{4}$/.test(name);
  expect((await untilNames((names) => names.some(isOwn))).filter(isOwn)).toHaveLength(1);
});

test("a refusal of the Bus is a tool error with its code and its body", async () => {
  const { env } = await busWithServices();
  const { tool, refusal } = await serverUnderTest(env);
  const { texts, isError } = await tool("bus_call", { service: "echo", command: "echo.refuse" });
  expect(isError).toBe(true);
  expect(JSON.parse(texts[0] ?? "")).toMatchObject({ error_code: "NOT_TODAY", rc: 10 });
  expect(JSON.parse(texts[1] ?? "")).toMatchObject({ error_code: "NOT_TODAY", open_at: "9:00" });
  expect(await refusal("bus_call", { service: "echo", command: "echo.unheard_of" })).toMatchObject({
    error_code: "UNKNOWN_COMMAND",
  });
  expect(await refusal("bus_call", { service: "nobody", command: "nobody.do" })).toMatchObject({
    error_code: "SERVICE_UNKNOWN",
  });
  expect(await refusal("bus_publish", { topic: "echo.props.changed", body: {} })).toHaveProperty("error_code");
});

test("an invalid argument is a tool error that says what is wrong", async () => {
  const { env } = await busWithServices();
  const { client, refusal } = await serverUnderTest(env);
  const wrong: [string, object][] = [
    ["bus_call", { service: "echo" }],
    ["bus_call", { service: "echo", command: "echo.say", args: [1] }],
    ["bus_call", { service: "echo", command: "echo.say", timeout_ms: 0 }],
    ["bus_call", { service: "echo", command: "echo.say", timeout_ms: timeoutMsMax + 1 }],
    ["bus_call", { service: "echo", command: "echo.say\nto: term" }],
    ["bus_wait", { topic: "a\nb" }],
    ["bus_help", { service: "echo", more: true }],
  ];
  for (const [name, args] of wrong) expect(await refusal(name, args)).toMatchObject({ error_code: "ARGUMENT" });
  await expect(client.callTool({ name: "bus_unheard_of" })).rejects.toThrow("bus_unheard_of");
});

test("arguments that are nested too deep are tool errors, and deep messages do not stop the server", async () => {
  const { env, publishHeard } = await busWithServices();
  const { tool, refusal } = await serverUnderTest(env);
  const deep = (levels: number) => JSON.parse(`{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`) as object;
  // Within the depth that the SDK's client can write.
  const wrong: [string, object][] = [
    ["bus_wait", { topic: "news", match: deep(2_000) }],
    ["bus_call", { service: "echo", command: "echo.say", args: deep(2_000) }],
    ["bus_publish", { topic: "news", body: deep(2_000) }],
  ];
  for (const [name, args] of wrong) {
    const { error_code, message } = await refusal(name, args);
    expect(error_code).toBe("ARGUMENT");
    expect(message).toContain(`${argumentsDepthMax} levels`);
  }
  const waiting = tool("bus_wait", { topic: "news", match: { a: [] } });
  await publishHeard("news", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
  await publishHeard("news", '{"a":[]}');
  expect((await waiting).texts[1]).toBe('{"a":[]}');
});

test("a call that times out is a tool error, and the server goes on", async () => {
  const { env, held } = await busWithServices();
  const { tool, refusal } = await serverUnderTest(env);
  const late = await refusal("bus_call", { service: "echo", command: "echo.hold", timeout_ms: 50 });
  expect(late).toMatchObject({ error_code: "TIME_LIMIT" });
  expect(late["message"]).toContain("may have run");
  await held.next();
  expect((await tool("bus_help", { service: "echo" })).isError).toBe(false);
});

test("a long result is truncated between characters, with a note of its size", async () => {
  const { env } = await busWithServices();
  const { tool } = await serverUnderTest(env);
  const { texts, isError } = await tool("bus_call", { service: "echo", command: "echo.long", args: { n: 100_000 } });
  expect(isError).toBe(false);
  expect(Buffer.byteLength(texts[0] ?? "")).toBeLessThanOrEqual(resultBytesMax);
  expect(Buffer.byteLength(texts[0] ?? "")).toBeGreaterThan(resultBytesMax - 4);
  expect(texts[0]).not.toContain("\ufffd");
  expect(texts[1]).toContain(`of ${'{"text":""}'.length + 200_000} bytes`);
});

test("a call that its client cancels ends and frees its slot", async () => {
  const { env, held } = await busWithServices();
  const { tool, refusal } = await serverUnderTest(env);
  const giveUp = new AbortController();
  setMaxListeners(callsMax + 1, giveUp.signal);
  const hold = { service: "echo", command: "echo.hold" };
  const calls = Array.from({ length: callsMax }, () => tool("bus_call", hold, giveUp.signal));
  const ended = Promise.allSettled(calls);
  for (const _ of calls) await held.next();
  expect(await refusal("bus_call", hold)).toMatchObject({ error_code: "BUSY" });
  giveUp.abort();
  expect((await ended).map(({ status }) => status)).toEqual(calls.map(() => "rejected"));
  expect((await tool("bus_help", { service: "echo" })).isError).toBe(false);
});

test("a wait returns the first message that matches, and ignores what was published before it", async () => {
  const { env, onlooker, publishHeard } = await busWithServices();
  const { tool } = await serverUnderTest(env);
  await onlooker.publishAndConfirm("news", '{"of":{"day":"monday"}}', { retain: true });
  const waiting = tool("bus_wait", { topic: "news", match: { of: { day: "monday" } } });
  await publishHeard("news", '{"of":{"day":"tuesday"}}');
  await publishHeard("news", "no JSON");
  await publishHeard("news", '{"of":{"day":"monday","hour":9}}');
  const { texts } = await waiting;
  expect(JSON.parse(texts[0] ?? "")).toMatchObject({ topic: "news", retained: false });
  expect(JSON.parse(texts[1] ?? "")).toEqual({ of: { day: "monday", hour: 9 } });
  const kept = await tool("bus_wait", { topic: "news", retained: true });
  expect(JSON.parse(kept.texts[0] ?? "")).toMatchObject({ retained: true, seq: 1 });
});

test("a wait that times out is not an error, a cancelled one unsubscribes, and their number is limited", async () => {
  const { env, onlooker } = await busWithServices();
  const { tool, refusal } = await serverUnderTest(env);
  const late = await tool("bus_wait", { topic: "quiet", timeout_ms: 10 });
  expect(late.isError).toBe(false);
  expect(JSON.parse(late.texts[0] ?? "")).toMatchObject({ timed_out: true });
  const giveUp = new AbortController();
  setMaxListeners(waitsMax + 1, giveUp.signal);
  const waits = Array.from({ length: waitsMax }, () => tool("bus_wait", { topic: "quiet" }, giveUp.signal));
  const ended = Promise.allSettled(waits);
  expect(await refusal("bus_wait", { topic: "quiet" })).toMatchObject({ error_code: "BUSY" });
  giveUp.abort();
  await ended;
  for (;;) {
    const { body } = await onlooker.publishAndConfirm("quiet", "1");
    if ((JSON.parse(body) as { eligible: number }).eligible === 0) break;
  }
});

test("a published message reaches the topic's subscribers, as text or as JSON", async () => {
  const { env, onlooker } = await busWithServices();
  const { tool } = await serverUnderTest(env);
  const heard: string[] = [];
  await onlooker.subscribe("from.model", ({ body }) => heard.push(body));
  const told = await tool("bus_publish", { topic: "from.model", body: { n: 1 } });
  expect(JSON.parse(told.texts[0] ?? "")).toMatchObject({ delivered: 1 });
  await tool("bus_publish", { topic: "from.model", body: "words" });
  await onlooker.call("noded", "noded.ping");
  expect(heard).toEqual(['{"n":1}', "words"]);
});

test("the desktop's terminals are refused in every spelling, and so are commands on this server's own connection", async () => {
  const { env, held } = await busWithServices(["echo", "term", "term-1", "bterm"]);
  const { tool, refusal } = await serverUnderTest(env);
  const denied = ["term", "term-1", "bterm", "term.desk", "term.desk.bus", "tab.term-1.desk", "term@other.mesh"];
  for (const service of denied) {
    expect(await refusal("bus_call", { service, command: "term.hold" })).toMatchObject({ error_code: "DENIED" });
    expect(await refusal("bus_help", { service })).toMatchObject({ error_code: "DENIED" });
  }
  for (const service of ["TERM", " term", "term\u0085", "term.", ".term", "term..desk"]) {
    expect(await refusal("bus_call", { service, command: "term.hold" })).toMatchObject({ error_code: "ARGUMENT" });
  }
  for (const service of [
    "noded",
    "local.bus",
    "noded.local",
    "noded.local.bus",
    "x.noded.local",
    "x.noded.local.bus",
  ]) {
    for (const command of ["noded.deregister", "noded.register", "noded.tap"]) {
      expect(await refusal("bus_call", { service, command })).toMatchObject({ error_code: "DENIED" });
      const padded = { service, command: ` ${command}\u0085` };
      expect(await refusal("bus_call", padded)).toMatchObject({ error_code: "ARGUMENT" });
    }
    expect((await tool("bus_call", { service, command: "noded.ping" })).isError).toBe(false);
  }
  const said = await tool("bus_call", { service: "echo", command: "echo.say" });
  expect(JSON.parse(said.texts[0] ?? "")).toMatchObject({ to: expect.stringMatching(/^mcp-/) });
  expect(held.waiting).toEqual([]);
  const { services } = JSON.parse((await tool("bus_services")).texts[0] ?? "") as {
    services: { name: string; denied?: boolean }[];
  };
  expect(services.filter((service) => service.denied).map(({ name }) => name)).toEqual(["bterm", "term", "term-1"]);
});

test("no tool answers with JSON that is no object, whatever a service or a publisher sent", async () => {
  const { env, publishHeard } = await busWithServices();
  const { client, tool } = await serverUnderTest(env);
  const say = (body: string) => tool("bus_call", { service: "echo", command: "echo.raw", args: { body } });
  for (const body of ["[]", '[{"id":1193820475610234881}]', " [1]", "1", '"text"', "null", "true"]) {
    expect((await say(body)).texts).toEqual([`{"value":${body}}`]);
    const refused = await tool("bus_call", { service: "echo", command: "echo.raw", args: { body, rc: 10 } });
    expect(refused.texts.slice(1)).toEqual([`{"value":${body}}`]);
  }
  expect((await say('{"a":[]}')).texts).toEqual(['{"a":[]}']);
  expect((await say("[not JSON]")).texts).toEqual(["[not JSON]"]);

  const waiting = tool("bus_wait", { topic: "news" });
  await publishHeard("news", "[1,2]");
  const results = {
    bus_services: await tool("bus_services"),
    bus_help: await tool("bus_help", { service: "echo" }),
    bus_call: await say("[]"),
    bus_publish: await tool("bus_publish", { topic: "news", body: [1] }),
    bus_wait: await waiting,
  };
  const { tools } = await client.listTools();
  expect(Object.keys(results)).toEqual(tools.map(({ name }) => name));
  for (const { texts } of Object.values(results)) {
    for (const text of texts) expect(text).toMatch(/^\{/u);
  }
  expect(results.bus_wait.texts[1]).toBe('{"value":[1,2]}');
});

test("a configured deny list replaces the default", async () => {
  const { env } = await busWithServices(["echo", "term"]);
  const { tool, refusal } = await serverUnderTest({ ...env, MIXOS_MCP_DENY: "ec*,other" });
  expect(await refusal("bus_help", { service: "echo" })).toMatchObject({ error_code: "DENIED" });
  expect((await tool("bus_help", { service: "term" })).isError).toBe(false);
});

test(
  "without a Bus a call is a tool error; once the Bus is up, or up again, calls work",
  { tags: "slow" },
  async () => {
    const path = join(temporaryDirectory(), "bus.sock");
    const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", MIXOS_NODED_URL: unixUrl(path) };
    const { tool, refusal } = await serverUnderTest(env);
    // A call over a connection that is already dead fails, so it is repeated.
    const say = async (): Promise<string> => {
      for (;;) {
        const { texts, isError } = await tool("bus_call", { service: "echo", command: "echo.say" });
        if (!isError) return texts[0] ?? "";
        expect(texts[0]).toMatch(/the Bus (?:is not connected|disconnected)/);
      }
    };
    expect(await refusal("bus_services")).toMatchObject({ error_code: "BUS_UNREACHABLE" });
    for (const round of [1, 2]) {
      const broker = createBroker();
      onTestFinished(() => broker.close());
      const citizen = serveCitizen({
        client: { url: () => broker.connectLocal() },
        service: "echo",
        version: "1",
        description: "Test citizen",
        verbs: [verb("echo.say", () => done({ round }))],
      });
      await citizen.connect();
      await broker.listenUnix(path);
      expect(JSON.parse(await say())).toEqual({ round });
      await citizen.stop();
      await broker.close();
    }
    expect(await refusal("bus_help", { service: "echo" })).toMatchObject({ error_code: "BUS_UNREACHABLE" });
  },
);

test("an invalid address of the Bus is a tool error that names it", async () => {
  const { refusal } = await serverUnderTest({ HOME: "/nonexistent", MIXOS_NODED_URL: "http://example.org" });
  expect(await refusal("bus_services")).toMatchObject({ error_code: "BUS_UNREACHABLE" });
});
