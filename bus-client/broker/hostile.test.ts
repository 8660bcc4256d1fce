// SPDX-License-Identifier: MIT OR Apache-2.0

import { array, assert, asyncProperty, constantFrom, dictionary, oneof, string, tuple } from "fast-check";
import { expect, test } from "vitest";
import { done } from "../answer.ts";
import { serveCitizen } from "../citizen.ts";
import { localTransportPair } from "../local-transport.ts";
import { testBroker, stoppedAfterTest } from "../testing/test-broker.ts";
import { parse, serialiseParsed } from "../wire.ts";

const verbs = `noded.register noded.deregister noded.ping noded.list noded.info noded.props.get noded.props.describe
  topic.subscribe topic.unsubscribe topic.publish topic.clear topic.list topic.subscriber_count props.watch
  HELP QUIT agent.ping agent.props.get __proto__ constructor {broken`.split(/\s+/);
const command = constantFrom("", ...verbs);
const word = constantFrom(
  "agent",
  "other",
  "noded",
  "noded-1",
  "a.b",
  "a@b",
  "response",
  "request",
  "0",
  "10",
  "false",
  "{",
  '{"path":"x"}',
  "",
  "noded.props.changed",
  "agent.props.audit",
  "$x",
);
const key = constantFrom(
  "to",
  "from",
  "id",
  "type",
  "rc",
  "name",
  "retain",
  "topic",
  "args",
  "broker_origin",
  "Broker_Origin",
  "error",
  "__proto__",
  "",
);
const body = oneof(
  constantFrom(
    "",
    "{}",
    "[",
    '{"path":5}',
    "---\n",
    "---\na: b\n---\nx",
    "---\ncommand: noded.session.lifecycle.x\n---\n",
  ),
  string({ maxLength: 40 }),
);
const frame = tuple(command, dictionary(key, word, { maxKeys: 6 }), body).map(([verb, headers, text]) =>
  serialiseParsed({ command: verb, ...headers }, text),
);
const anything = oneof(
  frame,
  string({ unit: "binary", maxLength: 60 }),
  string({ unit: constantFrom("-", "\n", ":", " ", "a", "\r"), maxLength: 40 }).map((tail) => `---\n${tail}`),
);

test("whatever two connections send, the broker keeps answering a third", async () => {
  const bus = await testBroker();
  const witness = await bus.peer("local");
  await assert(
    asyncProperty(array(tuple(constantFrom(0, 1), anything), { maxLength: 20 }), async (messages) => {
      const peers = [await bus.peer("local"), await bus.peer("local")];
      for (const [which, text] of messages) peers[which]!.transport.send(text);
      const pong = await witness.ask({ command: "noded.ping", to: "noded" });
      expect(pong.headers["rc"]).toBe("0");
      for (const peer of peers) peer.transport.close();
    }),
    { numRuns: 150 },
  );
});

test("whatever a broker sends, a citizen keeps answering HELP", async () => {
  const [ours, theirs] = localTransportPair();
  const verb = { name: "agent.ping", args: [], description: "Liveness", readOnly: true, handler: () => done({}) };
  const about = {
    service: "agent",
    version: "1",
    description: "d",
    verbs: [verb],
    onQuit: () => {},
    drainTimeoutMs: 0,
  };
  const citizen = stoppedAfterTest(serveCitizen({ client: { url: () => theirs }, ...about }));
  let answered: (() => void) | undefined;
  ours.listen({
    message: (text) => void (parse(text).headers["id"] === "witness" && answered?.()),
    close: () => {},
  });
  citizen.start();
  await assert(
    asyncProperty(array(anything, { maxLength: 20 }), async (messages) => {
      const heard = new Promise<void>((resolve) => (answered = resolve));
      for (const text of messages) ours.send(text);
      ours.send("---\nbroker_origin: local\ncommand: HELP\nid: witness\n---\n");
      await heard;
    }),
    { numRuns: 150 },
  );
  ours.close();
});
