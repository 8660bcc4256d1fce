// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { BusClient } from "./bus-client.ts";
import type { IncomingCommand } from "./command.ts";
import type { Delivery } from "./subscriptions.ts";
import { replyFailure } from "./reply.ts";
import { Inbox } from "./testing/inbox.ts";
import { ManualClock } from "./testing/manual-clock.ts";
import { testBroker } from "./testing/test-broker.ts";
import { serialise } from "./wire.ts";
import { client, statesOf, reached, replaceableBroker, scriptedBroker } from "./testing/clients.ts";

test("a client calls another over every transport, and gets every refusal as a value", async () => {
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

test("publications reach every listener of a topic, in order, with the broker's stamps", async () => {
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

test("a later subscriber gets the retained message before subscribe resolves", async () => {
  const bus = await testBroker();
  const publisher = client({ url: bus.unixUrl });
  const reader = client({ url: bus.unixUrl });
  await Promise.all([publisher.connect(), reader.connect()]);
  await publisher.publishAndConfirm("kept", "body with --- and\n\nlines", { retain: true });
  const heard: string[] = [];
  await reader.subscribe("kept", (delivery) => void heard.push(delivery.body));
  expect(heard).toEqual(["body with --- and\n\nlines"]);
});

test("a listener added while the last one is being removed keeps getting deliveries", async () => {
  const bus = await testBroker();
  const publisher = client({ url: bus.unixUrl });
  const reader = client({ url: bus.unixUrl });
  await Promise.all([publisher.connect(), reader.connect()]);
  const [leaving, joining] = [new Inbox<Delivery>(), new Inbox<Delivery>()];
  await publisher.publishAndConfirm("kept", "before", { retain: true });
  await reader.subscribe("kept", leaving.push);
  const left = reader.unsubscribe("kept", leaving.push);
  const joined = await reader.subscribe("kept", joining.push);
  await left;
  expect(joined).toMatchObject({ replayed: true, seq: 1 });
  await publisher.publishAndConfirm("kept", "after");
  expect([(await joining.next()).body, (await joining.next()).body]).toEqual(["before", "after"]);
});

test("retryNow ends the wait between two attempts", async () => {
  const broker = replaceableBroker();
  await broker.down();
  const clock = new ManualClock();
  const bus = client({ url: broker.url, clock });
  const states = statesOf(bus);
  bus.start();
  await reached(states, "disconnected");
  broker.up();
  bus.retryNow();
  await reached(states, "connected");
});

test("an answer goes over the connection that delivered the command, or is dropped", async () => {
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

test("stop deregisters before it closes, and unanswered calls are rejected", async () => {
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

test("stop ends a client between two attempts, and one that was never started", async () => {
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

test("leave deregisters and closes without waiting for an answer", async () => {
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

test("a client that leaves is gone from the list of services, and one that was never started may leave", async () => {
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

test("a client's provenance is shown in the list of services", async () => {
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
