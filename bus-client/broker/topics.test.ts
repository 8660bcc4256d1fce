// SPDX-License-Identifier: MIT OR Apache-2.0

import { expect, test } from "vitest";
import { BusClient } from "../bus-client.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import type { RawPeer } from "../testing/raw-peer.ts";
import { stoppedAfterTest, testBroker } from "../testing/test-broker.ts";
import { parse, serialise } from "../wire.ts";

function publish(peer: RawPeer, name: string, inner: string, headers: Record<string, string> = {}) {
  return peer.ask({ retain: "false", ...headers, command: "topic.publish", name, to: "noded" }, inner);
}

const inner = (body: string, headers: Record<string, string> = { command: "agent.event" }): string =>
  serialise({ headers, body });

async function incarnationOf(peer: RawPeer, name: string): Promise<string> {
  const { body } = await peer.ask({ command: "noded.list", to: "noded" });
  const list = JSON.parse(body) as { name: string; meta: { registration_incarnation: string } }[];
  return list.find((entry) => entry.name === name)!.meta.registration_incarnation;
}

test("a publication is counted, delivered and stamped as the contract says, to its publisher too", async () => {
  const bus = await testBroker();
  const [publisher, subscriber] = [await bus.peer("local"), await bus.peer()];
  await publisher.register("agent");
  await subscriber.register("reader");
  const subscribed = await subscriber.ask({ command: "topic.subscribe", name: "agent.event", to: "noded" });
  expect(subscribed.body).toBe('{"subscription_id": "6:reader::topic::11:agent.event", "replayed": false, "seq": 0}');
  await publisher.ask({ command: "topic.subscribe", name: "agent.event", to: "noded" });
  const reply = await publish(publisher, "agent.event", '---\ncommand: agent.event\n---\n{"a":1}\n');
  expect(reply.body).toBe('{"delivered":2,"dropped":0,"eligible":2,"partial":false,"refused":0,"seq":1}');
  const registration = await incarnationOf(publisher, "agent");
  expect(await subscriber.frames.next()).toBe(
    `---\nbroker_origin: local\nbroker_registration: ${registration}\ncommand: agent.event\ntopic: agent.event\ntopic_seq: 1\n---\n{"a":1}\n`,
  );
});

test("a publication in bytes reaches every kind of subscriber, also a later one, as one text", async () => {
  const bus = await testBroker({ limits: { publicationBytesMax: 100_000 } });
  const client = stoppedAfterTest(
    new BusClient({ url: () => Promise.resolve(bus.broker.connectLocal()), name: "agent" }),
  );
  await client.connect();
  const subscribers = [await bus.peer("unix"), await bus.peer("tcp"), await bus.peer("local")];
  for (const peer of subscribers) await peer.ask({ command: "topic.subscribe", name: "agent.event", to: "noded" });
  const body = `{"list":["é","😀","${"x".repeat(90_000)}"]}`;
  const reply = await client.publishAndConfirm("agent.event", Buffer.from(`${body}\n`), { retain: true });
  expect(JSON.parse(reply.body)).toMatchObject({ delivered: 3, dropped: 0 });
  const late = await bus.peer();
  late.send({ command: "topic.subscribe", id: "1", name: "agent.event", to: "noded", type: "request" });
  const got = await Promise.all([...subscribers, late].map((peer) => peer.frames.next()));
  expect(new Set(got).size).toBe(1);
  expect(parse(got[0]!)).toMatchObject({ body, headers: { topic_seq: "1" } });
  expect(got[0]!.endsWith("]}\n")).toBe(true);
  const refused = await client.publishAndConfirm("agent.event", Buffer.from(`${"y".repeat(100_000)}\n`), {});
  expect(refused.body).toBe('{"error": "payload_too_large", "limit": 100000}');
});

test("the broker's headers cannot be forged inside a publication", async () => {
  const bus = await testBroker();
  const [publisher, subscriber] = [await bus.peer(), await bus.peer()];
  await subscriber.ask({ command: "topic.subscribe", name: "t", to: "noded" });
  const forged = {
    command: "x",
    Broker_Registration: "00112233445566778899aabbccddeeff",
    broker_service: "noded",
    topic: "other",
    topic_seq: "99",
    topic_stale: "true",
    topic_op: "delete",
    from: "somebody",
    type: "response",
    id: "1",
  };
  await publish(publisher, "t", inner("b", forged));
  const { headers } = parse(await subscriber.frames.next());
  expect(headers).toEqual({
    broker_origin: "local",
    command: "x",
    topic: "t",
    topic_seq: "1",
    from: "somebody",
    type: "response",
    id: "1",
  });
});

test("a retained message comes before the answer to subscribe, once, and `retain` is on unless it is `false`", async () => {
  const bus = await testBroker();
  const [publisher, subscriber] = [await bus.peer(), await bus.peer()];
  await publish(publisher, "kept", inner("one"), { retain: "no" });
  await publish(publisher, "gone", inner("one"), { retain: "false" });
  subscriber.send({ command: "topic.subscribe", id: "1", name: "kept", to: "noded", type: "request" });
  expect(parse(await subscriber.frames.next())).toMatchObject({
    headers: { topic: "kept", topic_seq: "1" },
    body: "one",
  });
  expect(parse(await subscriber.frames.next()).body).toContain('"replayed": true, "seq": 1');
  const again = await subscriber.ask({ command: "topic.subscribe", name: "kept", to: "noded" });
  expect(again.body).toContain('"replayed": false');
  const other = await subscriber.ask({ command: "topic.subscribe", name: "gone", to: "noded" });
  expect(other.body).toContain('"replayed": false, "seq": 1');
});

test("a retained message becomes stale when its publisher disconnects, and is deleted a minute later", async () => {
  const clock = new ManualClock();
  const bus = await testBroker({ clock });
  const [publisher, watcher] = [await bus.peer(), await bus.peer()];
  await publisher.register("pub");
  await publish(publisher, "t", inner("x"), { retain: "true" });
  await watcher.ask({ command: "props.watch" });
  clock.advance(1_000);
  publisher.transport.destroy();
  await watcher.frames.nextWhere((text) => parse(text).headers["cause"] === "disconnect:pub");
  clock.advance(59_000);
  const early = await bus.peer();
  early.send({ command: "topic.subscribe", id: "1", name: "t", to: "noded" });
  expect(parse(await early.frames.next()).headers).toMatchObject({ topic_stale: "true", topic: "t" });
  clock.advance(11_000);
  const late = await bus.peer();
  const { body } = await late.ask({ command: "topic.subscribe", name: "t", to: "noded" });
  expect(body).toContain('"replayed": false');
});

test("publications that are malformed, too large, or under a reserved name are refused in the contract's words", async () => {
  const bus = await testBroker();
  const peer = await bus.peer();
  await peer.register("agent");
  expect((await peer.ask({ command: "topic.publish" }, inner("x"))).headers["error"]).toBe(
    "topic.publish requires 'name' header",
  );
  for (const body of ["", "plain", "---\n---\nx", "---\nno header here\n---\n"]) {
    expect(await publish(peer, "t", body)).toMatchObject({
      headers: { rc: "10" },
      body: '{"error": "malformed_payload"}',
    });
  }
  const limit = 1024 * 1024;
  const frame = inner("x".repeat(limit - inner("").length - 1));
  expect((await publish(peer, "t", frame.trimEnd())).headers["rc"]).toBe("0");
  expect((await publish(peer, "t", inner("x".repeat(limit)))).body).toBe(
    '{"error": "payload_too_large", "limit": 1048576}',
  );
  expect((await publish(peer, "t", inner("é".repeat(limit / 2)))).body).toBe(
    '{"error": "payload_too_large", "limit": 1048576}',
  );
  expect((await publish(peer, "$sys", inner("x"))).body).toBe('{"error": "reserved_name"}');
  const lifecycle = inner("x", { command: "noded.session.lifecycle.x" });
  expect((await publish(peer, "t", lifecycle)).body).toBe('{"error": "reserved_name"}');
});

test("only its owner publishes a reserved topic, and deliveries name the owner", async () => {
  const bus = await testBroker();
  const [owner, other, subscriber] = [await bus.peer(), await bus.peer(), await bus.peer()];
  await owner.register("agent");
  await other.register("other");
  for (const name of [
    "agent.props.changed",
    "agent.pointer.changed",
    "settingsd.desktop.changed",
    "settingsd.desktop.summary.night",
  ]) {
    expect((await publish(other, name, inner("x"))).headers["error"]).toMatch(/^topic_reserved: /);
    expect((await subscriber.ask({ command: "topic.subscribe", name, to: "noded" })).headers["rc"]).toBe("0");
  }
  expect((await publish(await bus.peer(), "agent.props.changed", inner("x"))).headers["error"]).toMatch(
    /^topic_reserved: /,
  );
  expect((await publish(owner, "agent.props.changed", inner("x"))).headers["rc"]).toBe("0");
  expect(parse(await subscriber.frames.next()).headers).toMatchObject({
    broker_service: "agent",
    topic: "agent.props.changed",
  });
  for (const name of ["agent.props.records.changed", "agent.props.audit"]) {
    expect((await subscriber.ask({ command: "topic.subscribe", name, to: "noded" })).headers["error"]).toMatch(
      /^topic_reserved: /,
    );
    expect((await publish(owner, name, inner("x"))).headers["rc"]).toBe("0");
  }
  expect((await publish(other, "noded.props.changed", inner("x"))).headers["error"]).toMatch(/^topic_reserved: /);
});

test("the last publisher is notified of the first subscriber and of the loss of the last one", async () => {
  const bus = await testBroker();
  const [publisher, one, two] = [await bus.peer(), await bus.peer(), await bus.peer()];
  await publish(publisher, "agent.event", inner("x"));
  await one.ask({ command: "topic.subscribe", name: "agent.event", to: "noded" });
  expect(await publisher.frames.next()).toBe(
    "---\ncommand: topic.active\nfrom: noded\nname: agent.event\nsubscribers: 1\n---\n",
  );
  await two.ask({ command: "topic.subscribe", name: "agent.event", to: "noded" });
  const left = await one.ask({ command: "topic.unsubscribe", name: "agent.event", to: "noded" });
  expect(left.body).toBe("{}");
  two.transport.destroy();
  expect(await publisher.frames.next()).toBe(
    "---\ncommand: topic.idle\nfrom: noded\nname: agent.event\nsubscribers: 0\n---\n",
  );
});

test("clearing a topic forgets its retained message and tells subscribers, unless told not to", async () => {
  const bus = await testBroker();
  const [publisher, subscriber] = [await bus.peer(), await bus.peer()];
  await subscriber.ask({ command: "topic.subscribe", name: "t", to: "noded" });
  await publish(publisher, "t", inner("x"), { retain: "true" });
  await subscriber.frames.next();
  expect((await publisher.ask({ command: "topic.clear", name: "t" })).body).toBe('{"cleared":true}');
  expect(await subscriber.frames.next()).toBe(
    "---\nbroker_origin: local\ncommand: ui.noop\ntopic: t\ntopic_op: delete\ntopic_seq: 2\n---\n",
  );
  expect((await publisher.ask({ command: "topic.clear", name: "t", notify: "false" })).body).toBe('{"cleared":false}');
  const count = await publisher.ask({ command: "topic.subscriber_count", name: "t" });
  expect(JSON.parse(count.body)).toEqual({ name: "t", subscribers: 1 });
  const list = await subscriber.ask({ command: "topic.list", prefix: "t" });
  expect(JSON.parse(list.body)).toEqual({ topics: [{ name: "t", seq: 2, subscribers: 1, retained: false }] });
});

test("topics and subscriptions are limited, and an unused topic is deleted to make room", async () => {
  const bus = await testBroker({ limits: { topicsMax: 3, subscriptionsMax: 2 } });
  const [one, two] = [await bus.peer(), await bus.peer()];
  const subscribe = async (peer: RawPeer, name: string): Promise<string> => {
    return (await peer.ask({ command: "topic.subscribe", name, to: "noded" })).headers["rc"]!;
  };
  await publish(one, "unneeded", inner("x"));
  expect(await subscribe(one, "a")).toBe("0");
  expect(await subscribe(one, "b")).toBe("0");
  expect(await subscribe(one, "c")).toBe("20");
  expect(await subscribe(two, "c")).toBe("0");
  expect((await publish(one, "d", inner("x"))).headers["rc"]).toBe("20");
});

test("retained messages are limited in total size, and the oldest are deleted first", async () => {
  const bus = await testBroker({ limits: { retainedBytesMax: 3_000 } });
  const [publisher, reader] = [await bus.peer(), await bus.peer()];
  for (const name of ["one", "two", "three"])
    await publish(publisher, name, inner("x".repeat(1_000)), { retain: "true" });
  const replayed: string[] = [];
  for (const name of ["one", "two", "three"]) {
    const { body } = await reader.ask({ command: "topic.subscribe", name, to: "noded" });
    replayed.push(body.includes('"replayed": true') ? name : "-");
  }
  expect(replayed).toEqual(["-", "two", "three"]);
});
