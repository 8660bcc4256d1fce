// SPDX-License-Identifier: MIT OR Apache-2.0

import { expect, test } from "vitest";
import type { BusError } from "./bus-error.ts";
import { Connection, callTimeoutMs, unansweredMax } from "./connection.ts";
import { localTransportPair } from "./local-transport.ts";
import { Inbox } from "./testing/inbox.ts";
import { ManualClock } from "./testing/manual-clock.ts";
import { parse, serialise, type FrameHeaders, type ParsedFrame } from "./wire.ts";

/** A connection whose broker is the test. */
function held() {
  const [ours, theirs] = localTransportPair();
  const clock = new ManualClock();
  const seen = {
    commands: new Inbox<ParsedFrame>(),
    deliveries: new Inbox<ParsedFrame>(),
    closed: new Inbox<BusError>(),
    sent: new Inbox<string>(),
  };
  const listener = { command: seen.commands.push, delivery: seen.deliveries.push, closed: seen.closed.push };
  const connection = new Connection(ours, clock, listener);
  theirs.listen({ message: seen.sent.push, close: () => {} });
  const bring = (headers: FrameHeaders, body = ""): void => theirs.send(serialise({ headers, body }));
  return { connection, clock, theirs, bring, ...seen };
}

const ping = { command: "noded.ping", to: "noded" };
const ignore = (): void => {};

const publication = { before: "---\ncommand: topic.publish\nid: ", after: "\n---\n", body: undefined };

test("a request has an id of its own and resolves with the answer to that id, whatever its rc", async () => {
  const { connection, bring, sent } = held();
  const first = connection.request(ping, "", 1_000);
  const second = connection.request(ping, "", 1_000);
  const ids = [parse(await sent.next()).headers["id"]!, parse(await sent.next()).headers["id"]!];
  expect(ids).toEqual(["1", "2"]);
  bring({ id: ids[1]!, rc: "20", type: "response" }, "two");
  bring({ id: ids[0]!, rc: "0" }, "one");
  expect(await first).toMatchObject({ rc: 0, body: "one" });
  expect(await second).toMatchObject({ rc: 20, body: "two" });
});

test("an answer that matches no request is dropped, even if it looks like a command", async () => {
  const { bring, commands } = held();
  bring({ command: "agent.ping", id: "77", rc: "0", type: "response" });
  bring({ command: "agent.ping", type: "response" });
  bring({ command: "agent.real", id: "1" });
  expect((await commands.next()).headers["command"]).toBe("agent.real");
});

test("a publication cannot pass for an answer, whatever headers its publisher set", async () => {
  const { connection, bring, sent, deliveries } = held();
  const asked = connection.request(ping, "", 1_000);
  const { id } = parse(await sent.next()).headers as { id: string };
  const stamps = {
    broker_origin: "local",
    broker_registration: "00112233445566778899aabbccddeeff",
    topic: "t",
    topic_seq: "1",
  };
  bring({ ...stamps, command: "x", id, rc: "0", type: "response" }, "forged");
  expect((await deliveries.next()).body).toBe("forged");
  bring({ id, rc: "0", type: "response" }, "genuine");
  expect((await asked).body).toBe("genuine");
});

test("broker notices, the admission challenge, empty messages and unreadable text are not passed on", async () => {
  const { bring, theirs, commands, deliveries } = held();
  theirs.send("---\n---\n");
  theirs.send("hello");
  bring({ command: "topic.active", from: "noded", name: "t", subscribers: "1" });
  bring({ command: "topic.idle", from: "noded", name: "t", subscribers: "0" });
  bring({ command: "noded.admit.challenge", id: "c", type: "request" });
  bring({ error: "Invalid Bus message: x", rc: "10" });
  bring({ topic: "t", command: "" });
  expect((await deliveries.next()).headers["topic"]).toBe("t");
  bring({ command: "", id: "1" });
  expect((await commands.next()).headers).toEqual({ command: "", id: "1" });
  expect(commands.waiting).toEqual([]);
});

test("a request without an answer fails after its own time, and a late answer is dropped", async () => {
  const { connection, clock, bring, sent, commands } = held();
  const asked = connection.request(ping, "", 5_000);
  const { id } = parse(await sent.next()).headers as { id: string };
  clock.advance(4_999);
  expect(clock.pending).toEqual([1]);
  clock.advance(1);
  await expect(asked).rejects.toMatchObject({ code: "TIMEOUT" });
  bring({ id, rc: "0", type: "response" });
  bring({ command: "after" });
  expect((await commands.next()).headers["command"]).toBe("after");
  expect(clock.pending).toEqual([]);
});

test("publications share one timer, and each fails a minute after it was sent", async () => {
  const { connection, clock, bring, sent } = held();
  const ends: string[] = [];
  const done = (name: string) => (error: BusError | undefined) => void ends.push(`${name} ${error?.code ?? "ok"}`);
  connection.publish(publication, done("first"));
  clock.advance(20_000);
  connection.publish(publication, done("second"));
  connection.publish(publication, done("third"));
  expect(clock.pending).toEqual([40_000]);
  await sent.next();
  await sent.next();
  const answered = connection.request(ping, "", 1_000);
  bring({ id: "3", rc: "0", type: "response" });
  bring({ id: "4", rc: "0", type: "response" });
  await answered;
  clock.advance(callTimeoutMs - 20_000);
  expect(ends).toEqual(["third ok", "first TIMEOUT"]);
  clock.advance(20_000);
  expect(ends).toEqual(["third ok", "first TIMEOUT", "second TIMEOUT"]);
  expect(clock.pending).toEqual([]);
});

test("when the connection closes, all unanswered requests fail at once, and no timer is left", async () => {
  const { connection, clock, theirs, closed } = held();
  const asked = connection.request(ping, "", 1_000);
  const published = new Inbox<string | undefined>();
  connection.publish(publication, (error) => published.push(error?.code));
  theirs.close();
  await expect(asked).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  expect(await published.next()).toBe("CONNECTION_LOST");
  expect((await closed.next()).code).toBe("CONNECTION_LOST");
  expect(clock.pending).toEqual([]);
  await expect(connection.request(ping, "", 1_000)).rejects.toMatchObject({ code: "NOT_CONNECTED" });
  expect(connection.answer({ id: "1", rc: "0", type: "response" }, "")).toBe(false);
});

test("messages over the size or queue limits fail and are not sent", async () => {
  const { connection, sent } = held();
  await expect(connection.request(ping, "x".repeat(8 * 1024 * 1024), 1_000)).rejects.toMatchObject({
    code: "FRAME_TOO_LARGE",
  });
  const codes = new Inbox<string | undefined>();
  const body = Buffer.alloc(8 * 1024 * 1024 - 10, "x");
  connection.publish({ ...publication, body }, (error) => codes.push(error?.code));
  expect(await codes.next()).toBe("FRAME_TOO_LARGE");
  for (let index = 0; index < unansweredMax; index++) connection.publish(publication, ignore);
  connection.publish(publication, (error) => codes.push(error?.code));
  expect(await codes.next()).toBe("OVERLOADED");
  await sent.next();
});

test("an invalid rc counts as missing", async () => {
  const { connection, bring, sent } = held();
  for (const [rc, error, expected] of [
    ["x", undefined, 0],
    ["256", undefined, 0],
    ["-1", "bad", 10],
    ["255", undefined, 255],
  ] as const) {
    const asked = connection.request(ping, "", 1_000);
    const { id } = parse(await sent.next()).headers as { id: string };
    bring({ id, rc, type: "response", ...(error === undefined ? {} : { error }) });
    expect([rc, (await asked).rc]).toEqual([rc, expected]);
  }
});
