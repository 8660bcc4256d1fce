// SPDX-License-Identifier: MIT OR Apache-2.0

import { expect, onTestFinished, test } from "vitest";
import { backoffMs } from "./backoff.ts";
import { createBroker } from "./broker/index.ts";
import type { Broker } from "./broker/index.ts";
import { BusClient } from "./bus-client.ts";
import type { BusClientOptions } from "./bus-client.ts";
import type { IncomingCommand } from "./command.ts";
import type { Delivery } from "./delivery.ts";
import { localTransportPair } from "./local-transport.ts";
import { replyFailure } from "./reply.ts";
import type { BusClientState } from "./supervision.ts";
import { Inbox } from "./testing/inbox.ts";
import { ManualClock } from "./testing/manual-clock.ts";
import { stoppedAfterTest, testBroker } from "./testing/test-broker.ts";
import type { Transport } from "./transport.ts";
import { parse, serialise } from "./wire.ts";

function client(options: BusClientOptions): BusClient {
  return stoppedAfterTest(new BusClient(options));
}

function statesOf(bus: BusClient): Inbox<BusClientState> {
  const states = new Inbox<BusClientState>();
  bus.onState(states.push);
  return states;
}

const reached = (states: Inbox<BusClientState>, kind: BusClientState["kind"]) =>
  states.nextWhere((state) => state.kind === kind, `the state ${kind}`);

/** A broker that can be taken away and brought back, in this process. */
function replaceableBroker() {
  let broker: Broker | undefined = createBroker();
  onTestFinished(() => broker?.close());
  return {
    url: (): Transport => {
      if (broker === undefined) throw new Error("no broker");
      return broker.connectLocal();
    },
    async down() {
      await broker!.close();
      broker = undefined;
    },
    up: () => (broker = createBroker()),
  };
}

test("a client calls another over every lane, and learns of every refusal as a value", async () => {
  const bus = await testBroker();
  const commands: IncomingCommand[] = [];
  const echo = client({
    url: bus.unixUrl,
    name: "echo",
    onCommand: (command) => {
      commands.push(command);
      command.reply(
        command.verb === "echo.bad" ? 12 : 0,
        command.body,
        command.verb === "echo.bad" ? "no good" : undefined,
      );
    },
  });
  await echo.connect();
  for (const url of [bus.unixUrl, bus.tcpUrl, () => bus.broker.connectLocal()]) {
    const caller = client({ url, name: "caller", random: () => 0 });
    await caller.connect();
    expect(await caller.call("echo", "echo.ping", { a: [1, "é"] })).toMatchObject({ rc: 0, body: '{"a":[1,"é"]}' });
    expect(commands.at(-1)).toMatchObject({ verb: "echo.ping", headers: { from: "caller", broker_origin: "local" } });
    const bad = await caller.call("echo", "echo.bad", undefined, { headers: { "x-own": "1" }, body: "raw" });
    expect(bad).toMatchObject({ rc: 12, body: "raw" });
    expect(replyFailure(bad)).toEqual({ code: undefined, message: "no good" });
    expect(commands.at(-1)!.headers["x-own"]).toBe("1");
    expect(replyFailure(await caller.call("nobody", "x.y"))?.message).toBe("Service 'nobody' not found");
    await expect(caller.call("echo", "two\nlines")).rejects.toMatchObject({ code: "UNSERIALISABLE" });
    await caller.stop();
  }
});

test("publications come to every listener of a topic, in order, with what the broker stamped", async () => {
  const bus = await testBroker();
  const publisher = client({ url: () => bus.broker.connectLocal(), name: "agent" });
  const reader = client({ url: bus.unixUrl });
  await Promise.all([publisher.connect(), reader.connect()]);
  const [one, two] = [new Inbox<Delivery>(), new Inbox<Delivery>()];
  await Promise.all([reader.subscribe("agent.event", one.push), reader.subscribe("agent.event", two.push)]);
  const acknowledged = new Inbox<string>();
  for (let index = 0; index < 100; index++) {
    publisher.publish("agent.event", `{"n":${index}}`, {}, (_error, reply) => acknowledged.push(reply!.body));
  }
  for (let index = 0; index < 100; index++) {
    const delivery = await one.next();
    expect(delivery).toMatchObject({
      topic: "agent.event",
      command: "agent.event",
      seq: index + 1,
      body: `{"n":${index}}`,
    });
    expect(delivery.registration).toMatch(/^[0-9a-f]{32}$/);
    expect((await two.next()).seq).toBe(index + 1);
    expect(JSON.parse(await acknowledged.next())).toMatchObject({ delivered: 1, seq: index + 1 });
  }
  await reader.unsubscribe("agent.event", one.push);
  await publisher.publishAndConfirm("agent.event", "last", { command: "other" });
  expect(await two.next()).toMatchObject({ command: "other", body: "last" });
  await reader.unsubscribe("agent.event");
  const reply = await publisher.publishAndConfirm("agent.event", "unheard");
  expect(JSON.parse(reply.body)).toMatchObject({ eligible: 0 });
  expect(one.waiting).toEqual([]);
});

test("a retained message is heard by who subscribes later, before subscribe resolves", async () => {
  const bus = await testBroker();
  const publisher = client({ url: bus.unixUrl });
  const reader = client({ url: bus.unixUrl });
  await Promise.all([publisher.connect(), reader.connect()]);
  await publisher.publishAndConfirm("kept", "body with --- and\n\nlines", { retain: true });
  const heard: string[] = [];
  await reader.subscribe("kept", (delivery) => void heard.push(delivery.body));
  expect(heard).toEqual(["body with --- and\n\nlines"]);
});

test("after the broker comes back the client registers and follows its topics again, in their order, in a new generation", async () => {
  const broker = replaceableBroker();
  const bus = client({ url: broker.url, name: "agent", random: () => 0 });
  const states = statesOf(bus);
  await bus.connect();
  expect(bus.state).toEqual({ kind: "connected", generation: 1 });
  const deliveries = new Inbox<Delivery>();
  for (const topic of ["zz", "aa", "mm"]) await bus.subscribe(topic, deliveries.push);
  await bus.unsubscribe("aa");
  await broker.down();
  await reached(states, "disconnected");
  await expect(bus.call("noded", "noded.ping")).rejects.toMatchObject({ code: "NOT_CONNECTED" });
  const refused = new Inbox<string | undefined>();
  bus.publish("zz", "lost", {}, (error) => refused.push(error?.code));
  expect(await refused.next()).toBe("NOT_CONNECTED");
  broker.up();
  await states.nextWhere((state) => state.kind === "connected" && state.generation === 2);
  expect(bus.generation).toBe(2);
  const list = JSON.parse((await bus.call("noded", "topic.list")).body) as {
    topics: { name: string; subscribers: number }[];
  };
  const followed = list.topics.filter(({ subscribers }) => subscribers > 0);
  expect(followed.map(({ name, subscribers }) => [name, subscribers])).toEqual([
    ["mm", 1],
    ["zz", 1],
  ]);
  await bus.publishAndConfirm("zz", "again");
  expect(await deliveries.next()).toMatchObject({ topic: "zz", body: "again" });
});

/** A broker written by the test: it answers each request by `answer`, and shows what it was asked. */
function scriptedBroker(answer: (headers: Record<string, string>) => { rc: string; body?: string } | undefined) {
  const asked = new Inbox<Record<string, string>>();
  const ends: Transport[] = [];
  return {
    asked,
    ends,
    url: (): Transport => {
      const [ours, theirs] = localTransportPair();
      ends.push(ours);
      ours.listen({
        message(text) {
          const { headers } = parse(text);
          asked.push(headers);
          const reply = answer(headers);
          if (reply === undefined) return;
          const { rc, body = "" } = reply;
          ours.send(serialise({ headers: { id: headers["id"]!, rc, type: "response" }, body }));
        },
        close: () => {},
      });
      return theirs;
    },
  };
}

test("subscriptions are renewed in the order in which they were made, after the registration", async () => {
  const broker = scriptedBroker(() => ({ rc: "0" }));
  const bus = client({ url: broker.url, name: "agent", random: () => 0 });
  await bus.connect();
  for (const topic of ["z", "a", "m"]) await bus.subscribe(topic, () => {});
  for (let index = 0; index < 4; index++) await broker.asked.next();
  broker.ends[0]!.close();
  const order = [];
  for (let index = 0; index < 4; index++) {
    const headers = await broker.asked.next();
    order.push([headers["command"], headers["name"] ?? headers["from"]]);
  }
  expect(order).toEqual([
    ["noded.register", "agent"],
    ["topic.subscribe", "z"],
    ["topic.subscribe", "a"],
    ["topic.subscribe", "m"],
  ]);
});

test("a refused subscription is not kept, and a refused renewal fails the whole attempt", async () => {
  let refuses = new Set(["no"]);
  const broker = scriptedBroker(({ name }) => ({ rc: name !== undefined && refuses.has(name) ? "10" : "0" }));
  const bus = client({ url: broker.url, random: () => 0 });
  const states = statesOf(bus);
  await bus.connect();
  await expect(bus.subscribe("no", () => {})).rejects.toMatchObject({ code: "SUBSCRIPTION_REFUSED" });
  await bus.subscribe("yes", () => {});
  refuses = new Set(["yes"]);
  broker.ends[0]!.close();
  const state = await states.nextWhere(
    (next) => next.kind === "disconnected" && next.cause.code === "SUBSCRIPTION_REFUSED",
  );
  expect(state.generation).toBe(1);
  refuses.clear();
  await states.nextWhere((next) => next.kind === "connected" && next.generation === 2);
  const names = broker.asked.waiting.map(({ name }) => name);
  expect(names.filter((name) => name === "no")).toHaveLength(1);
});

test("a taken name is told apart, and is the end only where that was asked for", async () => {
  const bus = await testBroker();
  const holder = client({ url: bus.unixUrl, name: "agent" });
  await holder.connect();
  const strict = client({ url: bus.unixUrl, name: "agent", nameTaken: "fatal" });
  await expect(strict.connect()).rejects.toMatchObject({ code: "NAME_TAKEN" });
  expect(strict.state).toMatchObject({ kind: "fatal", cause: { code: "NAME_TAKEN" } });
  const patient = client({ url: bus.unixUrl, name: "agent", random: () => 0 });
  const states = statesOf(patient);
  patient.start();
  expect(await reached(states, "disconnected")).toMatchObject({ cause: { code: "NAME_TAKEN" } });
  await holder.stop();
  await reached(states, "connected");
});

test("the reason of a refused registration is read only from a small body that names its schema", async () => {
  const typed = { error_code: "NAME_TAKEN", schema: "noded.registration-rejection.v1" };
  const bodies: [string, string][] = [
    [JSON.stringify(typed), "NAME_TAKEN"],
    [JSON.stringify({ ...typed, schema: "other" }), "REGISTRATION_REFUSED"],
    [JSON.stringify({ ...typed, filler: "x".repeat(4_096) }), "REGISTRATION_REFUSED"],
    ["not json", "REGISTRATION_REFUSED"],
    ["null", "REGISTRATION_REFUSED"],
  ];
  for (const [body, code] of bodies) {
    const broker = scriptedBroker(() => ({ rc: "10", body }));
    await expect(client({ url: broker.url, name: "agent", nameTaken: "fatal" }).connect()).rejects.toMatchObject({
      code,
    });
  }
});

test("connect gives up after five tries, with waits that are drawn from doubling ranges", async () => {
  const clock = new ManualClock();
  let tries = 0;
  const url = (): Transport => {
    tries++;
    throw new Error("nobody there");
  };
  const bus = client({ url, clock, random: () => 0.5 });
  const states = statesOf(bus);
  const connected = bus.connect();
  const waits = [];
  for (let index = 0; index < 4; index++) {
    const state = await reached(states, "disconnected");
    if (state.kind === "disconnected") waits.push(state.retryInMs);
    clock.advance(30_000);
  }
  await expect(connected).rejects.toMatchObject({ code: "DIAL_FAILED", message: "nobody there" });
  expect(waits).toEqual([125, 250, 500, 1_000]);
  expect(tries).toBe(5);
  expect(bus.state.kind).toBe("fatal");
  expect(clock.pending).toEqual([]);
});

test("the wait between attempts is uniform from zero to a bound that doubles up to 30 s", () => {
  expect([0, 1, 6, 7, 8, 2_000].map((failures) => backoffMs(failures, () => 0.999_999))).toEqual([
    expect.closeTo(250, 1),
    expect.closeTo(500, 1),
    expect.closeTo(16_000, 0),
    expect.closeTo(30_000, 0),
    expect.closeTo(30_000, 0),
    expect.closeTo(30_000, 0),
  ]);
  expect(backoffMs(5, () => 0)).toBe(0);
});

test("an address that is none is final at once", async () => {
  await expect(client({ url: "http://localhost" }).connect()).rejects.toMatchObject({ code: "URL_INVALID" });
});

test("an answer goes over the connection that brought the command, or nowhere", async () => {
  const broker = scriptedBroker(() => ({ rc: "0" }));
  const commands = new Inbox<IncomingCommand>();
  const bus = client({ url: broker.url, name: "agent", random: () => 0, onCommand: commands.push });
  const states = statesOf(bus);
  await bus.connect();
  broker.ends[0]!.send(serialise({ headers: { command: "agent.slow", from: "x", id: "noded-1" } }));
  const command = await commands.next();
  expect(command.generation).toBe(1);
  broker.ends[0]!.close();
  await states.nextWhere((state) => state.kind === "connected" && state.generation === 2);
  expect(command.reply(0, "{}")).toBe(false);
  broker.ends[1]!.send(serialise({ headers: { command: "agent.quick", from: "x", id: "noded-1" } }));
  const second = await commands.next();
  expect(second.reply(0, "{}")).toBe(true);
  expect(second.reply(0, "{}")).toBe(false);
  const answer = await broker.asked.nextWhere(({ type }) => type === "response");
  expect(answer).toEqual({ command: "agent.quick", from: "agent", id: "noded-1", rc: "0", to: "x", type: "response" });
  broker.ends[1]!.send(serialise({ headers: { command: "agent.oneway", from: "x" } }));
  expect((await commands.next()).reply(0, "{}")).toBe(false);
});

test("stop gives the name back before it closes, and whoever still waits is told", async () => {
  const broker = scriptedBroker(({ command }) => (command === "slow.ask" ? undefined : { rc: "0" }));
  const bus = client({ url: broker.url, name: "agent" });
  const states = statesOf(bus);
  await bus.connect();
  const waiting = bus.call("slow", "slow.ask").catch((error: unknown) => error);
  await bus.stop();
  expect(await waiting).toMatchObject({ code: "CONNECTION_LOST" });
  expect(broker.asked.waiting.map(({ command }) => command)).toEqual([
    "noded.register",
    "slow.ask",
    "noded.deregister",
  ]);
  expect(bus.state.kind).toBe("shutting-down");
  await expect(bus.call("noded", "noded.ping")).rejects.toMatchObject({ code: "NOT_CONNECTED" });
  expect(states.waiting.at(-1)!.kind).toBe("shutting-down");
});

test("stop ends a client that is between two attempts, and one that has not begun", async () => {
  const clock = new ManualClock();
  const bus = new BusClient({ url: () => Promise.reject(new Error("down")), clock, random: () => 1 });
  const states = statesOf(bus);
  bus.start();
  await reached(states, "disconnected");
  await bus.stop();
  expect(clock.pending).toEqual([]);
  await new BusClient({ url: "ws://127.0.0.1:1/ws" }).stop();
  const connecting = new BusClient({ url: () => Promise.reject(new Error("down")), random: () => 1 });
  const end = connecting.connect().catch((error: unknown) => error);
  await reached(statesOf(connecting), "disconnected");
  await connecting.stop();
  expect(await end).toMatchObject({ code: "STOPPED" });
});

test("leave gives the name back and closes, and waits for no answer", async () => {
  const broker = scriptedBroker(({ command }) => (command === "noded.register" ? { rc: "0" } : undefined));
  const bus = client({ url: broker.url, name: "mix-a" });
  await bus.connect();
  const waiting = bus.call("slow", "slow.ask").catch((error: unknown) => error);
  await bus.leave();
  expect(bus.state.kind).toBe("shutting-down");
  expect(await waiting).toMatchObject({ code: "CONNECTION_LOST" });
  await broker.asked.nextWhere(({ command }) => command === "noded.deregister");
  await bus.stop();
});

test("who leaves over a socket is gone from the list of services, and a client that has not begun may leave", async () => {
  const bus = await testBroker();
  const [leaver, witness] = [client({ url: bus.unixUrl, name: "mix-a" }), client({ url: bus.unixUrl })];
  await leaver.connect();
  await witness.connect();
  const names = async (): Promise<unknown> => JSON.parse((await witness.call("noded", "noded.list")).body);
  expect(await names()).toMatchObject([{ name: "mix-a" }]);
  await leaver.leave();
  expect(await names()).toEqual([]);
  await new BusClient({ url: "ws://127.0.0.1:1/ws" }).leave();
});

test("a provenance is what others see in the list of services", async () => {
  const bus = await testBroker();
  const agent = client({
    url: bus.unixUrl,
    name: "agent",
    provenance: { binary: "agentd", pid: 42, version: "1", meta: { log: "x" } },
  });
  await agent.connect();
  const list = JSON.parse((await agent.call("noded", "noded.list")).body) as unknown[];
  expect(list).toMatchObject([{ name: "agent", binary: "agentd", pid: 42, version: "1", meta: { log: "x" } }]);
});
