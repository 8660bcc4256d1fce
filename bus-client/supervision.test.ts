// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { backoffMs } from "./supervision.ts";
import type { Delivery } from "./subscriptions.ts";
import { Inbox } from "./testing/inbox.ts";
import { ManualClock } from "./testing/manual-clock.ts";
import { testBroker } from "./testing/test-broker.ts";
import type { Transport } from "./transport.ts";
import { client, statesOf, reached, replaceableBroker, scriptedBroker } from "./testing/clients.ts";

test("after the broker returns, the client registers and renews its topics in order, in a new generation", async () => {
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

test("a taken name is distinguished, and is fatal only if so configured", async () => {
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

test("connect gives up after five attempts, with waits drawn from doubling ranges", async () => {
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

test("an invalid address is fatal at once", async () => {
  await expect(client({ url: "http://localhost" }).connect()).rejects.toMatchObject({ code: "URL_INVALID" });
});
