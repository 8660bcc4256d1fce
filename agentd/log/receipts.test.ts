// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Log } from "./open.ts";
import { argumentsHash, canonicalJson } from "./receipts.ts";
import { alpha, bravo, message, temporaryLog } from "./testing/temporary-log.ts";

const verb = "agent.session.set_config";

function take(
  log: Log,
  session: string,
  commandId: string,
  answer?: { rc: number; body: string },
  scope = session,
): void {
  const expectSeq = log.entries.lastSeq(session) ?? 0;
  const hash = log.receipts.hash(verb, { session });
  const receipt = { scope, commandId, verb, hash, seq: expectSeq + 1, ...(answer && { answer }) };
  log.append([{ session, expectSeq, entries: [message("command")], receipts: [receipt] }]);
}

test("a receipt keeps the reply byte for byte, also over a restart", () => {
  const log = temporaryLog();
  const body = '{"session" : "a",\n"n":1.0e0}';
  take(log, alpha, "c-1", { rc: 0, body });
  const found = log.receipts.find(alpha, "c-1");
  expect(found).toMatchObject({ verb, session: alpha, seq: 1, answer: { rc: 0, body } });
  log.close();
  const again = temporaryLog({ file: log.file });
  expect(again.receipts.find(alpha, "c-1")).toEqual(found);
  expect(again.receipts.hash(verb, { session: alpha }).equals(found!.hash)).toBe(true);
});

test("a command id is taken only within its scope", () => {
  const log = temporaryLog();
  take(log, alpha, "c-1");
  expect(log.receipts.find(bravo, "c-1")).toBeUndefined();
  expect(log.receipts.find(alpha, "c-2")).toBeUndefined();
  expect(log.receipts.find("nosuchsessio", "c-1")).toBeUndefined();
  take(log, bravo, "c-1");
  take(log, bravo, "c-1", { rc: 0, body: "{}" }, "instance");
  expect(log.receipts.find("instance", "c-1")).toMatchObject({ session: bravo, seq: 2 });
});

test("a receipt without an answer gets one, and never a second", () => {
  const log = temporaryLog();
  take(log, alpha, "c-1");
  take(log, bravo, "c-2");
  expect(log.receipts.find(alpha, "c-1")?.answer).toBeUndefined();
  expect(log.receipts.unanswered()).toEqual([
    { scope: alpha, commandId: "c-1", verb, session: alpha, seq: 1 },
    { scope: bravo, commandId: "c-2", verb, session: bravo, seq: 1 },
  ]);
  const answers = (body: string) => [{ scope: alpha, commandId: "c-1", rc: 10, body }];
  log.append([{ session: alpha, expectSeq: 1, entries: [message("reply")], answers: answers("{}") }]);
  expect(log.receipts.find(alpha, "c-1")?.answer).toEqual({ rc: 10, body: "{}" });
  expect(log.receipts.unanswered().map(({ commandId }) => commandId)).toEqual(["c-2"]);
  expect(() =>
    log.append([{ session: alpha, expectSeq: 2, entries: [message("x")], answers: answers("other") }]),
  ).toThrow("no command c-1");
  expect(log.entries.lastSeq(alpha)).toBe(2);
  expect(log.receipts.find(alpha, "c-1")?.answer).toEqual({ rc: 10, body: "{}" });
});

test("an id that is taken twice, or a receipt for an entry of another commit, fails the whole batch", () => {
  const log = temporaryLog();
  take(log, alpha, "c-1", { rc: 0, body: "{}" });
  expect(() => take(log, alpha, "c-1", { rc: 0, body: "other" })).toThrow("taken once");
  const receipt = { scope: alpha, commandId: "c-2", verb, hash: Buffer.alloc(32), seq: 1 };
  for (const seq of [1, 3]) {
    const flush = () =>
      log.append([{ session: alpha, expectSeq: 1, entries: [message("x")], receipts: [{ ...receipt, seq }] }]);
    expect(flush).toThrow("not of its commit");
  }
  expect(log.entries.lastSeq(alpha)).toBe(1);
  expect(log.receipts.find(alpha, "c-1")?.answer?.body).toBe("{}");
});

test("the hash ignores the order of arguments and the command id, and differs by arguments and by agent", () => {
  const log = temporaryLog();
  const hash = log.receipts.hash(verb, { session: "s", prompt: [{ type: "text", text: "x" }], command_id: "c" });
  expect(log.receipts.hash(verb, { prompt: [{ text: "x", type: "text" }], session: "s" }).equals(hash)).toBe(true);
  expect(log.receipts.hash(verb, { prompt: [{ text: "y", type: "text" }], session: "s" }).equals(hash)).toBe(false);
  expect(
    log.receipts.hash("agent.session.prompt", { prompt: [{ text: "x", type: "text" }], session: "s" }).equals(hash),
  ).toBe(false);
  const args = { session: "s", prompt: [{ type: "text", text: "x" }] };
  expect(log.receipts.hash(verb, args, "client").equals(hash)).toBe(false);
  expect(log.receipts.hash(verb, args, "client").equals(log.receipts.hash(verb, args, alpha))).toBe(false);
  const other = temporaryLog();
  expect(other.receipts.hash(verb, { session: "s" }).equals(log.receipts.hash(verb, { session: "s" }))).toBe(false);
});

test("canonical JSON has the value of the JSON, and one text for every order of members", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(turnedAround(value))).toBe(canonicalJson(value));
    }),
  );
});

test("canonical JSON omits undefined members, and __proto__ is an ordinary name", () => {
  expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
  expect(canonicalJson(JSON.parse('{"b":[null,"\\u0000"],"__proto__":1}'))).toBe(
    '{"__proto__":1,"b":[null,"\\u0000"]}',
  );
  const key = Buffer.alloc(32);
  expect(argumentsHash(key, verb, { a: undefined }).equals(argumentsHash(key, verb, {}))).toBe(true);
});

function turnedAround(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnedAround);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, turnedAround(member)] as const);
  return Object.fromEntries(members.toReversed());
}
