// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { done, errorLine, refused } from "./answer.ts";
import { BusClient } from "./bus-client.ts";
import { serveCitizen } from "./citizen.ts";
import type { Delivery } from "./subscriptions.ts";
import { argumentsDepthMax, type Request } from "./request.ts";
import { Inbox } from "./testing/inbox.ts";
import { stoppedAfterTest, testBroker } from "./testing/test-broker.ts";
import { verb, served, bodyOf } from "./testing/served-citizen.ts";

test("HELP lists the reserved verbs, then the citizen's own by name, and INFO describes the citizen", async () => {
  const { ask } = await served({
    verbs: [verb("agent.zeta", () => done(1)), verb("agent.alpha", () => done(1), { readOnly: true })],
  });
  const help = JSON.parse((await ask("HELP")).body) as { name: string }[];
  expect(help.map(({ name }) => name)).toEqual([
    "HELP",
    "INFO",
    "QUIT",
    "agent.props.get",
    "agent.props.list",
    "agent.props.describe",
    "agent.alpha",
    "agent.zeta",
  ]);
  expect(help[0]).toEqual({ name: "HELP", args: [], description: "List verbs", read_only: true });
  expect(help[3]).toMatchObject({ args: ["path?"] });
  expect(help[6]).toEqual({
    name: "agent.alpha",
    args: ["text", "n?"],
    description: "Does agent.alpha",
    read_only: true,
  });
  expect(bodyOf(await ask("INFO"))).toEqual({ name: "agent", version: "1.2.3", description: "Test citizen" });
});

test("a handler gets the arguments and the caller, and answers at once, later, or by reply", async () => {
  const requests: Request[] = [];
  const { ask } = await served({
    verbs: [
      verb("agent.now", (request) => {
        requests.push(request);
        return done({ got: request.args });
      }),
      verb("agent.later", async () => {
        await new Promise(setImmediate);
        return refused("NOT_NOW", "not now", { field: "x" });
      }),
      verb("agent.kept", (request) => {
        setImmediate(() => {
          expect(request.reply(done("first"))).toBe(true);
          expect(request.reply(done("second"))).toBe(false);
        });
      }),
    ],
  });
  expect(bodyOf(await ask("agent.now", { text: "hi", n: 3 }))).toEqual({ got: { text: "hi", n: 3 } });
  expect(requests[0]).toMatchObject({
    verb: "agent.now",
    from: "caller",
    origin: "local",
    expectsReply: true,
    generation: 1,
  });
  const later = await ask("agent.later");
  expect(later).toMatchObject({ rc: 10, headers: { error: "NOT_NOW: not now" } });
  expect(bodyOf(later)).toEqual({ error_code: "NOT_NOW", message: "not now", field: "x" });
  expect((await ask("agent.kept")).body).toBe('"first"');
});

test("a citizen serves on a client that existed before it and that others use too", async () => {
  const bus = await testBroker();
  const client = stoppedAfterTest(new BusClient({ url: () => bus.broker.connectLocal(), name: "agent" }));
  const about = { service: "agent", version: "1", description: "d", verbs: [verb("agent.ping", () => done("pong"))] };
  const citizen = serveCitizen({ client, ...about, drainTimeoutMs: 0 });
  expect(citizen.client).toBe(client);
  await citizen.connect();
  const caller = stoppedAfterTest(new BusClient({ url: bus.unixUrl, name: "caller" }));
  await caller.connect();
  expect((await caller.call("agent", "agent.ping")).body).toBe('"pong"');
  expect((await client.call("agent", "agent.ping")).body).toBe('"pong"');
});

test("an unknown verb, an empty one and a malformed body are refused in the contract's words", async () => {
  const { ask } = await served({ verbs: [verb("agent.ping", () => done(1))] });
  const unknown = await ask("agent.nope");
  const message = "unknown command 'agent.nope' (this citizen handles: agent.ping; HELP lists them)";
  expect(unknown.rc).toBe(10);
  expect(bodyOf(unknown)).toEqual({
    error_code: "UNKNOWN_COMMAND",
    error: message,
    message,
    command: "agent.nope",
    available: ["agent.ping"],
  });
  expect(bodyOf(await ask(""))).toEqual({ error_code: "ARGUMENT", message: "command verb is empty" });
  for (const body of ["{", "[1]", "null", "text", '"text"', "1"]) {
    expect(bodyOf(await ask("agent.ping", undefined, { body }))).toMatchObject({ error_code: "ARGUMENT" });
  }
  expect((await ask("agent.ping")).rc).toBe(0);
  for (const name of ["constructor", "__proto__", "toString"]) {
    expect(bodyOf(await ask(name))).toMatchObject({ error_code: "UNKNOWN_COMMAND", command: name });
  }
});

test("a handler that throws answers rc 15 without details, which go to onFault alone", async () => {
  const faults = new Inbox<[unknown, string]>();
  const { ask } = await served({
    onFault: (error, name) => faults.push([error, name]),
    verbs: [
      verb("agent.throws", () => {
        throw new Error("secret detail");
      }),
      verb("agent.rejects", () => Promise.reject(new Error("secret detail"))),
    ],
  });
  for (const name of ["agent.throws", "agent.rejects"]) {
    const reply = await ask(name);
    expect(reply).toMatchObject({ rc: 15, body: '{"error":"internal handler error","error_code":"HANDLER_FAULT"}' });
    expect(await faults.next()).toEqual([new Error("secret detail"), name]);
  }
});

test("over the limit of pending commands the next is BUSY, while another pool and HELP still answer", async () => {
  const waiting: Request[] = [];
  const keep = (request: Request): void => void waiting.push(request);
  const { ask } = await served({
    pendingMax: 3,
    pools: { wait: { pendingMax: 2 } },
    verbs: [verb("agent.slow", keep), verb("agent.wait", keep, { pool: "wait" })],
  });
  const slow = [ask("agent.slow"), ask("agent.slow"), ask("agent.slow")];
  const busy = await ask("agent.slow");
  expect(busy).toMatchObject({ rc: 10, body: '{"error_code":"BUSY","message":"too many pending commands"}' });
  const waits = [ask("agent.wait"), ask("agent.wait")];
  expect(bodyOf(await ask("agent.wait"))).toMatchObject({ error_code: "BUSY" });
  expect((await ask("HELP")).rc).toBe(0);
  for (const request of waiting) request.reply(done("ok"));
  expect((await Promise.all([...slow, ...waits])).map(({ rc }) => rc)).toEqual([0, 0, 0, 0, 0]);
  const next = ask("agent.slow");
  await ask("HELP");
  waiting.at(-1)!.reply(done("room again"));
  expect((await next).body).toBe('"room again"');
});

test("stop deregisters at once, ends the commands of pools, and lets running ones answer", async () => {
  const requests = new Inbox<Request>();
  const { citizen, ask, caller } = await served({
    drainTimeoutMs: 60_000,
    pools: { wait: { pendingMax: 2 } },
    verbs: [
      verb("agent.slow", (request) => requests.push(request)),
      verb("agent.wait", (request) => requests.push(request), { pool: "wait" }),
    ],
  });
  const slow = ask("agent.slow");
  const wait = ask("agent.wait");
  const running = await requests.next();
  await requests.next();
  const stopped = citizen.stop();
  expect(await wait).toMatchObject({ rc: 10, body: '{"error_code":"BUSY","message":"agentd is closing"}' });
  const next = await caller.call("noded", "noded.list");
  expect(next.body).not.toContain('"agent"');
  expect((await ask("agent.slow")).headers["error"]).toBe("Service 'agent' not found");
  running.reply(done("just in time"));
  expect((await slow).body).toBe('"just in time"');
  await stopped;
});

test("after the drain timeout of stop a running command gets BUSY, and its late answer is dropped", async () => {
  const requests = new Inbox<Request>();
  const { citizen, ask } = await served({ verbs: [verb("agent.slow", (request) => requests.push(request))] });
  const slow = ask("agent.slow");
  const request = await requests.next();
  await citizen.stop();
  expect(bodyOf(await slow)).toEqual({ error_code: "BUSY", message: "agentd is closing" });
  expect(request.reply(done("late"))).toBe(false);
});

test("QUIT is answered before it takes effect, and only for callers that may send it", async () => {
  const quit = new Inbox<string>();
  const { ask } = await served({
    onQuit: () => quit.push("quit"),
    mayQuit: ({ from, origin }) => (from === "caller" && origin === "local" ? true : refused("FORBIDDEN", "not you")),
  });
  expect(await ask("QUIT")).toMatchObject({ rc: 0, body: "{}" });
  expect(await quit.next()).toBe("quit");
  const refusing = await served({ mayQuit: () => refused("FORBIDDEN", "not you"), onQuit: () => quit.push("wrong") });
  expect(bodyOf(await refusing.ask("QUIT"))).toMatchObject({ error_code: "FORBIDDEN" });
  expect(quit.waiting).toEqual([]);
});

test("without onQuit, QUIT stops the citizen", async () => {
  const { ask, caller } = await served({});
  const changes = new Inbox<Delivery>();
  await caller.subscribe("noded.props.changed", changes.push);
  expect((await ask("QUIT")).rc).toBe(0);
  await changes.nextWhere(({ headers }) => headers["cause"] === "deregister:agent");
});

test("props answer from the tree, hide sensitive values, and publish changes", async () => {
  const { ask, caller, citizen } = await served({
    props: {
      read: () => ({ health: "ok", sessions: { live: 2 }, token: "hunter2", names: ["a"], none: null }),
      describe: {
        token: { description: "A secret", sensitive: true },
        "sessions.live": { description: "Live sessions", transient: true },
      },
    },
  });
  const tree = { health: "ok", sessions: { live: 2 }, token: null, names: ["a"], none: null };
  expect(bodyOf(await ask("agent.props.get"))).toEqual(tree);
  expect((await ask("agent.props.get", { path: "sessions.live" })).body).toBe("2");
  expect((await ask("agent.props.get", { path: "health" }, { headers: { args: '{"path":"token"}' } })).body).toBe(
    "null",
  );
  expect(bodyOf(await ask("agent.props.list"))).toEqual(["health", "names", "none", "sessions.live", "token"]);
  expect(bodyOf(await ask("agent.props.describe", { path: "sessions.live" }))).toEqual({
    path: "sessions.live",
    type: "number",
    mutable: false,
    sensitive: false,
    transient: true,
    description: "Live sessions",
  });
  expect(bodyOf(await ask("agent.props.describe", { path: "sessions" }))).toMatchObject({
    type: "object",
    children: ["live"],
  });
  const errors: [string, object, string][] = [
    ["get", { path: "no.such" }, "path not found: no.such"],
    ["get", { path: "No" }, "invalid path: No"],
    ["get", { path: "constructor" }, "path not found: constructor"],
    ["describe", {}, "describe requires args.path"],
    ["describe", { path: "nope" }, "unknown path: nope"],
    ["set", { path: "health" }, "unknown props subcommand: set"],
  ];
  for (const [subcommand, args, error] of errors) {
    const reply = await ask(`agent.props.${subcommand}`, args);
    expect(reply).toMatchObject({ rc: 10, headers: { error } });
    expect(bodyOf(reply)).toEqual({ error });
  }
  const changes = new Inbox<Delivery>();
  await caller.subscribe("agent.props.changed", changes.push);
  citizen.propsChanged("sessions.live", 2, 3, "start");
  const change = await changes.next();
  expect(change).toMatchObject({ command: "props.changed", service: "agent" });
  expect(JSON.parse(change.body)).toMatchObject({ path: "sessions.live", old: 2, new: 3, cause: "start" });
});

test("an answer too large for a frame becomes a REPLY_TOO_LARGE refusal", async () => {
  const { ask } = await served({ verbs: [verb("agent.big", () => done("x".repeat(8 * 1024 * 1024)))] });
  const reply = await ask("agent.big");
  expect(reply.rc).toBe(20);
  expect(bodyOf(reply)).toMatchObject({ error_code: "REPLY_TOO_LARGE" });
});

test("the error header of a failure is one line, bounded, and never looks like JSON", () => {
  expect(errorLine(done(1))).toBeUndefined();
  expect(errorLine(refused("CODE", "two\r\nlines"))).toBe("CODE: two lines");
  expect(errorLine({ rc: 10, body: '{"error":"older form"}' })).toBe("older form");
  expect(errorLine({ rc: 10, body: '{"error":"[x"}' })).toBeUndefined();
  expect(errorLine({ rc: 10, body: '{"error":"\u0085[x"}' })).toBeUndefined();
  expect(errorLine({ rc: 10, body: "not json" })).toBeUndefined();
  expect(errorLine(refused("C", "x".repeat(5_000)))).toHaveLength(1_024);
});

test("arguments nested deeper than the limit are refused, and those at the limit reach the handler", async () => {
  const seen: unknown[] = [];
  const { ask } = await served({
    verbs: [
      verb("agent.echo", ({ args }) => {
        seen.push(args);
        return done(args);
      }),
    ],
  });
  // The arguments object is a level itself.
  const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  for (const levels of [argumentsDepthMax + 1, 100_000]) {
    const reply = await ask("agent.echo", undefined, { body: nested(levels) });
    expect(bodyOf(reply)).toMatchObject({ error_code: "ARGUMENT" });
    expect(bodyOf(reply)["message"]).toContain(`${argumentsDepthMax} levels`);
  }
  expect(seen).toEqual([]);
  expect((await ask("agent.echo", undefined, { body: nested(argumentsDepthMax) })).rc).toBe(0);
  await expect(ask("agent.echo", JSON.parse(nested(100_000)) as object)).rejects.toMatchObject({
    code: "UNSERIALISABLE",
  });
});
