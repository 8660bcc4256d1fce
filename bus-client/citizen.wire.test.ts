// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { done } from "./answer.ts";
import type { Request } from "./request.ts";
import { Inbox } from "./testing/inbox.ts";
import type { FrameHeaders } from "./wire.ts";
import { verb, citizenOnWire } from "./testing/served-citizen.ts";

test("HELP and other commands are answered even before the registration is", async () => {
  const { citizen, broker, frames, deliver } = citizenOnWire([verb("agent.ping", () => done("pong"))]);
  citizen.start();
  expect((await frames.next()).headers["command"]).toBe("noded.register");
  deliver({ broker_origin: "local", command: "HELP", from: "x", id: "noded-1" });
  expect(await frames.next()).toMatchObject({ headers: { id: "noded-1", rc: "0", to: "x", type: "response" } });
  deliver({ broker_origin: "local", command: "agent.ping", id: "noded-2" });
  expect(await frames.next()).toMatchObject({ headers: { id: "noded-2", rc: "0" }, body: '"pong"' });
  broker.close();
  await citizen.stop();
});

test("a command that arrives while the citizen stops is answered BUSY", async () => {
  const { citizen, broker, frames, deliver } = citizenOnWire([verb("agent.ping", () => done("pong"))]);
  citizen.start();
  await frames.next();
  deliver({ id: "1", rc: "0", type: "response" });
  deliver({ broker_origin: "local", command: "agent.ping", id: "noded-1" });
  expect((await frames.next()).body).toBe('"pong"');
  const stopped = citizen.stop();
  const farewell = await frames.next();
  expect(farewell.headers["command"]).toBe("noded.deregister");
  deliver({ broker_origin: "local", command: "agent.ping", id: "noded-2" });
  const { headers, body } = await frames.next();
  expect([headers["id"], headers["rc"], body]).toEqual([
    "noded-2",
    "10",
    '{"error_code":"BUSY","message":"agent is closing"}',
  ]);
  deliver({ id: farewell.headers["id"]!, rc: "0", type: "response" });
  await stopped;
  broker.close();
});

test("a verb that could not be serialised is answered like any unknown verb", async () => {
  const { citizen, broker, frames } = citizenOnWire([]);
  citizen.start();
  await frames.next();
  broker.send("---\nbroker_origin: local\ncommand: {broken\nfrom: [x\nid: {y\n---\n");
  const { headers, body } = await frames.next();
  expect(headers).toMatchObject({ command: "{broken", id: "{y", to: "[x", rc: "10", type: "response" });
  expect(body).toContain("UNKNOWN_COMMAND");
  broker.close();
  await citizen.stop();
});

test("a caller has a name only if stamped as local, so not over the mesh or without a stamp", async () => {
  const requests = new Inbox<Request>();
  const { citizen, broker, frames, deliver } = citizenOnWire([verb("agent.ping", (request) => requests.push(request))]);
  citizen.start();
  await frames.next();
  const cases: [FrameHeaders, string | null, string][] = [
    [{ broker_origin: "local", from: "caller" }, "caller", "local"],
    [{ broker_origin: "local" }, null, "local"],
    [{ broker_origin: "mesh", from: "forged" }, null, "mesh"],
    [{ from: "forged" }, null, "mesh"],
    [{ broker_origin: "LOCAL", from: "forged" }, null, "mesh"],
  ];
  for (const [headers, from, origin] of cases) {
    deliver({ ...headers, command: "agent.ping", id: "noded-1" });
    expect(await requests.next()).toMatchObject({ from, origin });
  }
  broker.close();
  await citizen.stop();
});

test("a command without an id runs unanswered, and a topic delivery is neither run nor answered", async () => {
  const ran = new Inbox<string>();
  const { citizen, broker, frames, deliver } = citizenOnWire([
    verb("agent.ping", (request) => {
      ran.push(JSON.stringify(request.args));
      return done("pong");
    }),
  ]);
  citizen.start();
  await frames.next();
  deliver({ broker_origin: "local", command: "agent.ping" }, '{"n":1}');
  deliver({ broker_origin: "local", command: "agent.ping", id: "noded-8", topic: "t" }, '{"n":2}');
  deliver({ broker_origin: "local", command: "agent.nope" });
  deliver({ command: "topic.active", from: "noded", name: "t", subscribers: "1" });
  deliver({ broker_origin: "local", command: "agent.ping", id: "noded-9" }, '{"n":3}');
  expect((await frames.next()).headers["id"]).toBe("noded-9");
  expect(ran.waiting).toEqual(['{"n":1}', '{"n":3}']);
  broker.close();
  await citizen.stop();
});

test("commands without an id count as pending only while their handler runs", async () => {
  const { citizen, broker, frames, deliver } = citizenOnWire([verb("agent.oneway", () => {})]);
  citizen.start();
  await frames.next();
  for (let index = 0; index < 100; index++) deliver({ broker_origin: "local", command: "agent.oneway" });
  deliver({ broker_origin: "local", command: "HELP", id: "noded-1" });
  await frames.next();
  deliver({ broker_origin: "local", command: "agent.oneway", id: "noded-2" });
  deliver({ broker_origin: "local", command: "HELP", id: "noded-3" });
  expect((await frames.next()).headers["id"]).toBe("noded-3");
  broker.close();
  await citizen.stop();
});
