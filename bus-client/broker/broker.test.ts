// SPDX-License-Identifier: MIT OR Apache-2.0

import { expect, test } from "vitest";
import { ManualClock } from "../testing/manual-clock.ts";
import { testBroker } from "../testing/test-broker.ts";
import { parse } from "../wire.ts";

const lanes = ["unix", "tcp", "local"] as const;

for (const lane of lanes) {
  test(`over ${lane}, a request reaches the callee stamped, and its answer the caller, byte for byte`, async () => {
    const bus = await testBroker();
    const caller = await bus.peer(lane);
    const callee = await bus.peer(lane);
    await caller.register("agent");
    await callee.register("echo");
    caller.transport.send(
      '---\ncommand: echo.ping\nfrom: forged\nid: 7\nto: echo\ntype: request\n---\n{"text":"hi"}\n',
    );
    const request = await callee.frames.next();
    const id = parse(request).headers["id"]!;
    expect(id).toMatch(/^noded-\d+$/);
    expect(request).toBe(
      `---\nbroker_origin: local\ncommand: echo.ping\nfrom: agent\nid: ${id}\nto: echo\ntype: request\n---\n{"text":"hi"}\n`,
    );
    callee.transport.send(
      `---\ncommand: echo.ping\nfrom: liar\nid: ${id}\nrc: 0\nto: agent\ntype: response\n---\npong\n`,
    );
    expect(await caller.frames.next()).toBe(
      "---\nbroker_origin: local\ncommand: echo.ping\nfrom: echo\nid: 7\nrc: 0\nto: agent\ntype: response\n---\npong\n",
    );
  });
}

test("a caller without a name arrives without `from`, whatever it wrote there", async () => {
  const bus = await testBroker();
  const callee = await bus.peer();
  await callee.register("echo");
  (await bus.peer()).send({ command: "echo.ping", from: "root", id: "1", to: "echo", type: "request" });
  const { headers } = parse(await callee.frames.next());
  expect(headers["from"]).toBeUndefined();
  expect(headers["broker_origin"]).toBe("local");
});

test("forged stamps are taken off in any letter case; other headers pass through", async () => {
  const bus = await testBroker();
  const callee = await bus.peer();
  await callee.register("echo");
  const forged = {
    broker_origin: "mesh",
    Broker_Origin: "mesh",
    BROKER_REGISTRATION: "00112233445566778899aabbccddeeff",
    broker_peer: "p",
    Broker_Service: "s",
    Mesh_From: "m",
    mesh_from: "m",
    broker_principal: "{}",
  };
  (await bus.peer()).send({ ...forged, command: "echo.ping", to: "echo", "x-own": "kept", __proto__x: "kept" });
  const { headers } = parse(await callee.frames.next());
  expect(headers).toEqual({
    broker_origin: "local",
    command: "echo.ping",
    to: "echo",
    "x-own": "kept",
    __proto__x: "kept",
  });
});

test("routing errors are the contract's, byte for byte", async () => {
  const bus = await testBroker({ node: "here" });
  const caller = await bus.peer();
  const cases: [string, string][] = [
    ["nope", "Service 'nope' not found"],
    ["agent.here", "Service 'agent' not found"],
    ["sub.agent.here.bus", "Service 'agent' not found"],
    ["agent.there", "Unknown mesh node: 'there'"],
    ["agent.there.bus", "Unknown mesh node: 'there'"],
    ["there.bus", "Unknown mesh node: 'there'"],
    ["Not Valid", "Invalid Bus target: 'Not Valid'"],
    ["a.b.c.d", "Invalid Bus target: 'a.b.c.d'"],
    ["x".repeat(64), `Invalid Bus target: '${"x".repeat(64)}'`],
    ["agent@mesh.example", "cross-mesh routing not implemented: 'agent@mesh.example'"],
  ];
  for (const [to, error] of cases) {
    caller.send({ command: "a.b", id: "3", to, type: "request" });
    expect(await caller.frames.next()).toBe(`---\nerror: ${error}\nid: 3\nrc: 10\ntype: response\n---\n`);
  }
  caller.send({ command: "a.b", to: "nope" });
  expect(await caller.frames.next()).toBe("---\nerror: Service 'nope' not found\nrc: 10\ntype: response\n---\n");
});

test("an answer is taken once, and only from the connection that the request went to", async () => {
  const bus = await testBroker();
  const [caller, callee, thief] = [await bus.peer(), await bus.peer(), await bus.peer()];
  await callee.register("echo");
  await thief.register("thief");
  caller.send({ command: "echo.ping", id: "1", to: "echo", type: "request" });
  const { id } = parse(await callee.frames.next()).headers as { id: string };
  thief.send({ command: "echo.ping", id, rc: "0", type: "response" }, "stolen");
  // The answer to the thief's next request shows that the forged answer was read before.
  await thief.ask({ command: "noded.ping" });
  callee.send({ command: "echo.ping", id, rc: "0", type: "response" }, "first");
  callee.send({ command: "echo.ping", id, rc: "0", type: "response" }, "second");
  await callee.ask({ command: "noded.ping" });
  const pong = await caller.ask({ command: "noded.ping" });
  expect(pong.headers["rc"]).toBe("0");
  expect(caller.frames.waiting).toEqual([]);
});

test("an answer without its type but with rc and a known id is an answer", async () => {
  const bus = await testBroker();
  const [caller, callee] = [await bus.peer(), await bus.peer()];
  await callee.register("echo");
  caller.send({ command: "echo.ping", id: "x", to: "echo", type: "request" });
  const { id } = parse(await callee.frames.next()).headers as { id: string };
  callee.send({ id, rc: "7" }, "loose");
  expect(parse(await caller.frames.next())).toMatchObject({
    headers: { id: "x", rc: "7", from: "echo" },
    body: "loose",
  });
});

test("callers of a connection that closes get UNAVAILABLE", async () => {
  const bus = await testBroker();
  const [caller, callee] = [await bus.peer(), await bus.peer()];
  await callee.register("echo");
  caller.send({ command: "echo.ping", id: "9", to: "echo", type: "request" });
  await callee.frames.next();
  callee.transport.destroy();
  expect(await caller.frames.next()).toBe(
    '---\nerror: UNAVAILABLE\nid: 9\nrc: 20\ntype: response\n---\n{"details":{},"error_code":"UNAVAILABLE","message":"recipient connection retired before response"}\n',
  );
});

test("two callers may use one id, and each gets its own answer", async () => {
  const bus = await testBroker();
  const [one, two, callee] = [await bus.peer(), await bus.peer(), await bus.peer()];
  await callee.register("echo");
  one.send({ command: "echo.one", id: "same", to: "echo", type: "request" });
  const first = parse(await callee.frames.next()).headers;
  two.send({ command: "echo.two", id: "same", to: "echo", type: "request" });
  const second = parse(await callee.frames.next()).headers;
  expect(first["id"]).not.toBe(second["id"]);
  callee.send({ id: second["id"]!, rc: "0", type: "response" }, "two");
  callee.send({ id: first["id"]!, rc: "0", type: "response" }, "one");
  expect(parse(await one.frames.next())).toMatchObject({ headers: { id: "same" }, body: "one" });
  expect(parse(await two.frames.next())).toMatchObject({ headers: { id: "same" }, body: "two" });
});

test("an invalid message is answered over TCP, and closes the connection over a Unix socket", async () => {
  const bus = await testBroker();
  const tcp = await bus.peer("tcp");
  tcp.transport.send("hello");
  expect(await tcp.frames.next()).toBe(
    "---\nerror: Invalid Bus message: Bus message must start with '---\\n', got: \"hello\"\nrc: 10\n---\n",
  );
  expect((await tcp.ask({ command: "noded.ping", to: "noded" })).headers["rc"]).toBe("0");
  const unix = await bus.peer("unix");
  unix.transport.send("hello");
  await unix.closed;
  expect(unix.frames.waiting).toEqual([]);
});

test("an empty message is an unknown command of the broker", async () => {
  const bus = await testBroker();
  const peer = await bus.peer();
  peer.transport.send("---\n---\n");
  expect(await peer.frames.next()).toBe(
    "---\nerror: Unknown noded command: ''\nfrom: noded\nrc: 10\ntype: response\n---\n",
  );
});

test("unknown verbs of the broker are refused, including names of object prototypes and HELP", async () => {
  const bus = await testBroker();
  const peer = await bus.peer();
  for (const command of ["noded.nope", "HELP", "INFO", "QUIT", "constructor", "__proto__", "toString"]) {
    const { headers } = await peer.ask({ command, to: "noded" });
    expect(headers).toMatchObject({ error: `Unknown noded command: '${command}'`, rc: "10", from: "noded", command });
  }
});

test("registering answers as the contract says: taken, reserved, malformed, missing", async () => {
  const bus = await testBroker();
  const [one, two] = [await bus.peer(), await bus.peer()];
  one.send({ command: "noded.register", from: "agent", id: "1", to: "noded", type: "request" }, '{"pid":4242}');
  expect(await one.frames.next()).toBe(
    '---\ncommand: noded.register\nfrom: noded\nid: 1\nrc: 0\ntype: response\n---\n{"registered": "agent"}\n',
  );
  two.send({ command: "noded.register", from: "agent", id: "1", to: "noded", type: "request" });
  expect(await two.frames.next()).toBe(
    "---\ncommand: noded.register\nerror: service name 'agent' is already registered\nfrom: noded\nid: 1\nrc: 10\ntype: response\n---\n" +
      '{"error_code":"NAME_TAKEN","message":"service name \'agent\' is already registered","schema":"noded.registration-rejection.v1"}\n',
  );
  const register = (from: string) => two.ask({ command: "noded.register", from, to: "noded" });
  for (const name of ["noded", "noded-x", `tabc-${"a".repeat(22)}`]) {
    expect(await register(name)).toMatchObject({
      headers: { error: "reserved_name", rc: "10" },
      body: '{"error":"reserved_name"}',
    });
  }
  for (const name of ["a", "1a", "Agent", "a_b", "a.b", "a".repeat(32), "-a"]) {
    const { headers } = await register(name);
    expect(headers["error"]).toBe("noded.register 'from' must match ^[a-z][a-z0-9-]{1,30}$");
  }
  const { headers } = await two.ask({ command: "noded.register", to: "noded" });
  expect(headers["error"]).toBe("noded.register requires 'from' header");
});

test("a name is free again when its connection closes, deregisters, or registers another", async () => {
  const bus = await testBroker();
  const [one, two, watcher] = [await bus.peer(), await bus.peer(), await bus.peer()];
  await watcher.ask({ command: "topic.subscribe", name: "noded.props.changed", to: "noded" });
  await one.register("first");
  await one.register("first");
  await one.register("second");
  await two.register("first");
  const given = await two.ask({ command: "noded.deregister", to: "noded" });
  expect(given.body).toBe('{"deregistered": "first"}');
  expect((await two.ask({ command: "noded.deregister", to: "noded" })).body).toBe('{"deregistered": null}');
  one.transport.destroy();
  await watcher.frames.nextWhere((text) => parse(text).headers["cause"] === "disconnect:second");
  await two.register("second");
});

test("the list of services is sorted, with the allowed fields of each provenance", async () => {
  const clock = new ManualClock();
  const bus = await testBroker({ clock });
  const [one, two] = [await bus.peer(), await bus.peer()];
  const said = {
    binary: "b",
    version: "1",
    pid: 42,
    git_dirty: true,
    meta: { a: "x", n: 1 },
    name: "forged",
    extra: 1,
  };
  await one.register("zeta", JSON.stringify(said));
  await two.register("alpha", "{not json");
  const { body } = await one.ask({ command: "noded.list", to: "noded" });
  const list = JSON.parse(body) as { meta: Record<string, string> }[];
  expect(list).toMatchObject([
    { name: "alpha", registered_at: "2026-01-01T00:00:00.000Z", schema_version: 1 },
    { name: "zeta", binary: "b", version: "1", pid: 42, git_dirty: true, schema_version: 1, meta: { a: "x" } },
  ]);
  expect(Object.keys(list[1]!)).not.toContain("extra");
  expect(list[1]!.meta["n"]).toBeUndefined();
  expect(list.map(({ meta }) => meta["registration_incarnation"])).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/),
    expect.stringMatching(/^[0-9a-f]{32}$/),
  ]);
});

test("ping, info and props answer", async () => {
  const bus = await testBroker({ node: "here", version: "1.2.3" });
  const peer = await bus.peer();
  await peer.register("agent");
  const ask = async (command: string, headers: Record<string, string> = {}, body = ""): Promise<unknown> => {
    return JSON.parse((await peer.ask({ ...headers, command }, body)).body);
  };
  expect(await ask("noded.ping")).toEqual({ pong: true, extensions: { core: "1.0", topic: "1.0" } });
  expect(await ask("noded.info")).toMatchObject({
    node: "here",
    service_count: 1,
    noded: { version: "1.2.3" },
    schema_version: 1,
  });
  expect(await ask("noded.props.get", { args: '{"path":"services.registered"}' })).toEqual(["agent"]);
  expect(await ask("noded.props.get", {}, '{"path":"services.count"}')).toBe(1);
  expect(await ask("noded.props.get", {}, '{"path":"no.such"}')).toEqual({ error: "path not found: no.such" });
  expect(await ask("noded.props.describe")).toEqual({ error: "describe requires args.path" });
  expect(await ask("noded.props.list")).toContain("services.count");
});

test("changes of the services are published at once, then at most every 100 ms, and once after a burst", async () => {
  const clock = new ManualClock();
  const bus = await testBroker({ clock });
  const watcher = await bus.peer();
  await watcher.ask({ command: "props.watch" });
  const peers = [await bus.peer(), await bus.peer(), await bus.peer()];
  const nextChange = async (
    path: string,
  ): Promise<{ headers: Record<string, string>; body: Record<string, unknown> }> => {
    const frame = parse(await watcher.frames.nextWhere((text) => parse(text).headers["path"] === path));
    return { headers: frame.headers, body: JSON.parse(frame.body) as Record<string, unknown> };
  };
  await peers[0]!.register("aa");
  const first = await nextChange("services.registered");
  expect(first.headers).toMatchObject({ command: "props.changed", cause: "register:aa", broker_service: "noded" });
  expect(first.body).toMatchObject({ path: "services.registered", old: [], new: ["aa"], cause: "register:aa" });
  await peers[1]!.register("bb");
  await peers[2]!.register("cc");
  clock.advance(100);
  const last = await nextChange("services.registered");
  expect(last.body).toMatchObject({ old: ["aa"], new: ["aa", "bb", "cc"], cause: "register:cc" });
});
