// SPDX-License-Identifier: MIT OR Apache-2.0
// An unparsable response fails its request and an unparsable request is refused, so that neither side waits for ever.
import { expect, test } from "vitest";
import { talk } from "../testing/talking-peer.ts";

test.for([
  ['{"id":0,"result":{"stopReason":"end_turn","r":NaN}}', "Unexpected token 'N'"],
  ['{"jsonrpc":"2.0","result":{"r":NaN},"id":0}', "Unexpected token 'N'"],
  ['{"jsonrpc":"2.0","id":0,"result":{"r":-Infinity}}', "No number after minus sign"],
  ['{"jsonrpc":"2.0","id":0,"result":{"a":1,},}', "Expected double-quoted property name"],
  ["{'jsonrpc': '2.0', 'id': 0, 'result': {'stopReason': 'it\\'s', 'r': None}}", "Expected property name"],
  ["{'id': '0', 'error': {'code': 1, 'message': 'x'}}", "Expected property name"],
  ['{"jsonrpc":"2.0","id":0,"result":{"stopReason":"end', "Unterminated string"],
  ['{"jsonrpc":"2.0","id":0,"result":{', "Expected property name"],
  ['{"jsonrpc":"2.0","id":0,"error":', "Unexpected end of JSON input"],
  ['{"jsonrpc":"2.0","id":"0","result":{"a":"\t"}}', "Bad control character"],
  ['{"jsonrpc":"2.0","id":0,"result":{"a":"\\x1b"}}', "Bad escaped character"],
  ['{"jsonrpc":"2.0","id":0,"result":"he said "no""}', "Expected ',' or '}'"],
  ['{"jsonrpc":"2.0","id":0,"result":{}}{"jsonrpc":"2.0","method":"a"}', "Unexpected non-whitespace character"],
  ['{"jsonrpc":"2.0","method":"a"} {"jsonrpc":"2.0","id":0,"result":{}}', "Unexpected non-whitespace character"],
] as const)("the response %s fails only its own request, with the parser's message", ([line, words]) => {
  const { peer, kinds, faults, ask } = talk();
  const [first, second] = [ask(), ask()];
  peer.receive(line);
  expect(first).toEqual([{ type: "malformed", what: expect.stringContaining(`not JSON: ${words}`) as unknown }]);
  expect(second).toEqual([]);
  expect(kinds()).toEqual(["not-json"]);
  expect(faults[0]?.message).toContain(words);
  peer.receive('{"jsonrpc":"2.0","id":1,"result":1}');
  expect(second).toEqual([{ type: "result", result: 1 }]);
});

test.for(["utf16le", "latin1"] as const)(
  "a response with NULs, as %s, fails its request with a message about them",
  (encoding) => {
    for (const mark of ["", "\ufeff"]) {
      const { peer, ask } = talk();
      const answers = ask();
      const text = encoding === "latin1" ? '\0{"id":0,"result":{}}\0' : `${mark}{"id":0,"result":{}}`;
      peer.receive(Buffer.from(text, encoding).toString("utf8"));
      expect(answers).toEqual([{ type: "malformed", what: expect.stringContaining("UTF-16") as unknown }]);
    }
  },
);

test("two responses on one line both fail their requests", () => {
  const { peer, ask } = talk();
  const answers = [ask(), ask()];
  peer.receive('{"jsonrpc":"2.0","id":0,"result":{}}{"jsonrpc":"2.0","id":1,"result":{}}');
  expect(answers.flat()).toMatchObject([{ type: "malformed" }, { type: "malformed" }]);
});

test("an unreadable response to an unknown or abandoned request has no effect", () => {
  const { peer, kinds, ask } = talk();
  const abandoned = peer.request("x", {}, () => {
    throw new Error("told");
  });
  peer.abandon(abandoned);
  const answers = ask();
  peer.receive('{"jsonrpc":"2.0","id":0,"result":NaN}');
  peer.receive('{"jsonrpc":"2.0","id":7,"result":NaN}');
  expect(kinds()).toEqual(["not-json", "not-json"]);
  expect(answers).toEqual([]);
});

test.for([
  ['{"jsonrpc":"2.0","id":1.0,"method":"x","params":{"r":NaN}}', "1.0"],
  ['{"jsonrpc":"2.0","method":"x","params":{"r":NaN},"id":9007199254740993}', "9007199254740993"],
  [`{"jsonrpc":"2.0","id":"a\\u0041","method":"x",}`, `"a\\u0041"`],
  [`{'jsonrpc': '2.0', 'id': 'a"b', 'method': 'x'}`, `"a\\"b"`],
  ['{"jsonrpc":"2.0","id":{"n":NaN},"method":"x"}', "null"],
  ['{"jsonrpc":"2.0","id":null,"method":"x","result":NaN}', "null"],
] as const)("the request %s is refused as unreadable with the id %s", ([line, rawId]) => {
  const { peer, written, requests, kinds, ask } = talk();
  const answers = ask();
  written.length = 0;
  peer.receive(line);
  expect(written).toEqual([expect.stringContaining(`"id":${rawId},"error":{"code":-32700,"message":"Parse error: `)]);
  expect([requests, answers]).toEqual([[], []]);
  expect(kinds()).toEqual(["not-json"]);
});

test("an unreadable notification is reported with the reason, and not answered", () => {
  const { peer, told, written, faults } = talk();
  peer.receive('{"jsonrpc":"2.0","method":"a","params":{"r":NaN}}');
  expect(faults).toMatchObject([{ fault: "not-json", message: "A message is not JSON: Unexpected token 'N'" }]);
  expect([told, written]).toEqual([[], []]);
});

test("the reason quotes nothing of the line, which could contain part of a secret", () => {
  const { peer, faults, ask } = talk();
  const answers = ask();
  peer.receive('{"jsonrpc":"2.0","id":0,"result":{"key":"hunter2",secret}}');
  peer.receive('{"jsonrpc":"2.0","method":"a","params":{"key":"hunter2","r":Nsecret}}');
  expect(JSON.stringify([answers, faults.map(({ message }) => message)])).not.toMatch(/hunter|secret/);
});

test("a truncated wide response fails its request", () => {
  const { peer, ask } = talk({ valuesMax: 100 });
  const answers = ask();
  peer.receive(`{"jsonrpc":"2.0","id":0,"result":[${"{},".repeat(200)}`);
  expect(answers).toEqual([{ type: "malformed", what: expect.stringContaining("100 values") as unknown }]);
});

test("a response in a batch fails its request, and the batch is refused", () => {
  const { peer, written, kinds, ask } = talk();
  const [first, second] = [ask(), ask()];
  written.length = 0;
  peer.receive('[{"jsonrpc":"2.0","method":"a"}, {"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}]');
  expect(first).toEqual([]);
  expect(second).toEqual([{ type: "malformed", what: expect.stringContaining("batch") as unknown }]);
  expect(written).toEqual([expect.stringContaining('"id":null,"error":{"code":-32600')]);
  expect(kinds()).toEqual(["batch"]);
});

test.for([
  ['{"jsonrpc":"2.0","result":{}}', { type: "malformed", what: "a response that has no id" }],
  ['{"jsonrpc":"2.0","id":null,"result":{}}', { type: "malformed", what: "a response that has no id" }],
  [
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
    { type: "error", error: { code: -32700, message: "Parse error" } },
  ],
  ['{"jsonrpc":"2.0","result":{"r":NaN}}', { type: "malformed", what: expect.stringContaining("'N'") as unknown }],
] as const)("without an id, %s settles the only request that it can answer", ([line, answer]) => {
  const { peer, ask } = talk();
  const answers = ask();
  peer.receive(line);
  expect(answers).toEqual([answer]);
});

test("a response without an id has no effect if two requests are pending or if it may answer something else", () => {
  const lines = ['{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"?"}}', '{"jsonrpc":"2.0","result":NaN}'];
  const two = talk();
  const both = [two.ask(), two.ask()];
  const told = talk();
  const beforeNotification = told.ask();
  told.peer.notify("session/cancel", {});
  const late = talk();
  late.peer.abandon(late.peer.request("x", {}, () => {}));
  const afterAbandoned = late.ask();
  for (const { peer } of [two, told, late]) for (const line of lines) peer.receive(line);
  expect([...both, beforeNotification, afterAbandoned]).toEqual([[], [], [], []]);
});

test("invalid UTF-8 in a response becomes U+FFFD, and the response counts", () => {
  const { peer, ask, kinds } = talk();
  const answers = ask();
  peer.receive(Buffer.from('{"jsonrpc":"2.0","id":0,"result":"a\xffb"}', "latin1").toString());
  expect(answers).toEqual([{ type: "result", result: "a\u{fffd}b" }]);
  expect(kinds()).toEqual([]);
});

test("a line of unreadable messages takes linear time", () => {
  const { peer, ask, written } = talk();
  const answers = ask();
  written.length = 0;
  peer.receive(`{"jsonrpc":"2.0","id":5,"method":"x"}`.repeat(200_000));
  peer.receive(`{"jsonrpc":"2.0","id":0,"result":"${"\\".repeat(1_000_000)}`);
  expect(written.length).toBeLessThanOrEqual(1024);
  expect(answers).toHaveLength(1);
});
