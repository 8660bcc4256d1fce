// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { RequestOutcome } from "./peer.ts";
import { talk } from "../testing/talking-peer.ts";

test("a message is one line of JSON-RPC 2.0 whatever its strings hold", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.jsonValue(), (text, value) => {
      const { peer, written } = talk();
      peer.request("m", { text: `${text}\n\r\u2028\ud800`, value }, () => {});
      peer.notify("n", { [`${text}\udfff`]: text });
      for (const line of written) {
        expect(line).not.toMatch(/[\n\r]/);
        expect(Buffer.from(line).toString()).toBe(line);
        expect(line).not.toMatch(/(^|[^\\])(\\\\)*\\ud[89a-f]/);
        expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
      }
    }),
  );
});

test("a lone surrogate is sent as U+FFFD, and text that only looks like an escape is unchanged", () => {
  const { peer, written } = talk();
  peer.notify("n", { lone: "a\ud800b", literal: String.raw`\ud800`, pair: "😀" });
  expect(JSON.parse(written[0] ?? "")).toMatchObject({
    params: { lone: "a\u{fffd}b", literal: String.raw`\ud800`, pair: "😀" },
  });
});

test("updates and responses are delivered in wire order, synchronously", () => {
  const { peer, told, ask } = talk();
  ask("first");
  ask("second");
  peer.receive('{"jsonrpc":"2.0","method":"a"}');
  peer.receive('{"jsonrpc":"2.0","id":1,"result":{}}');
  peer.receive('{"jsonrpc":"2.0","method":"b"}');
  peer.receive('{"jsonrpc":"2.0","id":0,"result":{}}');
  expect(told).toEqual([
    ["notification", "a", undefined],
    ["answer", "second"],
    ["notification", "b", undefined],
    ["answer", "first"],
  ]);
});

test.for(["0", "-1", "1.0", "1e3", "9007199254740993", '"7"', String.raw`"a\u0041"`, '""', "1.5", "null"])(
  "the agent's id %s is echoed byte for byte",
  (raw) => {
    const { peer, written, requests } = talk();
    peer.receive(`{"jsonrpc":"2.0","id":${raw},"method":"x"}`);
    requests[0]?.reply({ fine: true });
    expect(written).toEqual([`{"jsonrpc":"2.0","id":${raw},"result":{"fine":true}}`]);
  },
);

test("an id of the agent and one of ours may be the same", () => {
  const { peer, written, requests, ask } = talk();
  const answers = ask();
  peer.receive('{"jsonrpc":"2.0","id":0,"method":"x"}');
  peer.receive('{"jsonrpc":"2.0","id":0,"result":1}');
  requests[0]?.reply({});
  expect(answers).toEqual([{ type: "result", result: 1 }]);
  expect(written[1]).toBe('{"jsonrpc":"2.0","id":0,"result":{}}');
});

test("a request is answered once: a second answer is not written", () => {
  const { peer, written, requests } = talk();
  peer.receive('{"jsonrpc":"2.0","id":1,"method":"x"}');
  requests[0]?.reply({});
  requests[0]?.refuse({ code: -32603, message: "late" });
  expect(written).toHaveLength(1);
});

test.for([
  ["7", "7"],
  ["1", "1.0"],
  ['"a"', String.raw`"\u0061"`],
  ["null", "null"],
])("a second request with the open id %s, written %s, is refused and the first is unaffected", ([first, second]) => {
  const { peer, written, requests, kinds } = talk();
  peer.receive(`{"jsonrpc":"2.0","id":${first},"method":"x"}`);
  peer.receive(`{"jsonrpc":"2.0","id":${second},"method":"x"}`);
  expect(requests).toHaveLength(1);
  expect(JSON.parse(written[0] ?? "")).toMatchObject({ error: { code: -32600 } });
  expect(kinds()).toContain("duplicate-id");
  requests[0]?.reply({});
  expect(written[1]).toBe(`{"jsonrpc":"2.0","id":${first},"result":{}}`);
});

test("two large ids that differ only beyond a double's precision are two requests", () => {
  const { peer, requests } = talk();
  peer.receive('{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}');
  peer.receive('{"jsonrpc":"2.0","id":9007199254740992,"method":"x"}');
  expect(requests).toHaveLength(2);
});

test("an id may be used again once its request was answered", () => {
  const { peer, requests, kinds } = talk();
  peer.receive('{"jsonrpc":"2.0","id":7,"method":"x"}');
  requests[0]?.reply({});
  peer.receive('{"jsonrpc":"2.0","id":7,"method":"x"}');
  expect(requests).toHaveLength(2);
  expect(kinds()).toEqual([]);
});

test("one request more than may be open at once is refused", () => {
  const { peer, requests, written } = talk({ openRequestsMax: 2 });
  for (const id of [1, 2, 3]) peer.receive(`{"jsonrpc":"2.0","id":${id},"method":"x"}`);
  expect(requests).toHaveLength(2);
  expect(JSON.parse(written[0] ?? "")).toMatchObject({ id: 3, error: { code: -32603 } });
});

test("the total length of open requests is limited, but a single one may have any length", () => {
  const { peer, requests, written } = talk({ openRequestCharactersMax: 150 });
  const ask = (id: number, length: number) =>
    peer.receive(`{"jsonrpc":"2.0","id":${id},"method":"x","params":["${"a".repeat(length)}"]}`);
  ask(1, 1_000);
  ask(2, 10);
  expect(requests.map(({ id }) => id)).toEqual([1]);
  expect(JSON.parse(written[0] ?? "")).toMatchObject({ id: 2, error: { code: -32603 } });
  requests[0]?.reply({});
  for (const id of [3, 4, 5]) ask(id, 10);
  expect(requests.map(({ id }) => id)).toEqual([1, 3, 4]);
});

test("an id that is neither number, string nor null is answered with -32600 and id null", () => {
  const { peer, requests, written, kinds } = talk();
  peer.receive('{"jsonrpc":"2.0","id":{"a":1},"method":"x"}');
  expect(requests).toEqual([]);
  expect(written[0]).toContain('"id":null,"error":{"code":-32600');
  expect(kinds()).toEqual(["invalid-request"]);
});

test("a method that is not a string is answered with -32600 and the request's id", () => {
  const { peer, written } = talk();
  peer.receive('{"jsonrpc":"2.0","id":1.0,"method":5}');
  expect(written[0]).toContain('"id":1.0,"error":{"code":-32600');
});

test("a response that matches no pending request is ignored and reported, and so is a second one", () => {
  const { peer, told, kinds, ask } = talk();
  const answers = ask();
  peer.notify("n", {});
  peer.receive('{"jsonrpc":"2.0","id":99,"result":{}}');
  peer.receive('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}');
  peer.receive('{"jsonrpc":"2.0","id":0,"result":1}');
  peer.receive('{"jsonrpc":"2.0","id":0,"result":2}');
  expect(answers).toEqual([{ type: "result", result: 1 }]);
  expect(told).toHaveLength(1);
  expect(kinds()).toEqual(["unknown-response", "unknown-response", "unknown-response"]);
});

test("with both result and error, the error counts and a fault is reported; a null error is none", () => {
  const { peer, kinds, ask } = talk();
  const both = ask();
  const nothing = ask();
  peer.receive('{"jsonrpc":"2.0","id":0,"result":{},"error":{"code":-5,"message":"no"}}');
  peer.receive('{"jsonrpc":"2.0","id":1,"result":{},"error":null}');
  expect(both).toEqual([{ type: "error", error: { code: -5, message: "no" } }]);
  expect(nothing).toEqual([{ type: "result", result: {} }]);
  expect(kinds()).toEqual(["result-and-error"]);
});

test("a response with neither result nor error fails its request as malformed", () => {
  const { peer, kinds, ask } = talk();
  const answers = ask();
  peer.receive('{"jsonrpc":"2.0","id":0}');
  expect(answers).toEqual([{ type: "malformed", what: "neither result nor error" }]);
  expect(kinds()).toEqual(["malformed-response"]);
});

test.for([
  ['"boom"', { code: -32603, message: "The error has no message", data: "boom" }],
  ['{"code":"x","message":"m"}', { code: -32603, message: "m" }],
  ['{"code":401}', { code: 401, message: "The error has no message" }],
] as const)("the malformed error %s still fails its request as an error", ([text, error]) => {
  const { peer, kinds, ask } = talk();
  const answers = ask();
  peer.receive(`{"jsonrpc":"2.0","id":0,"error":${text}}`);
  expect(answers).toEqual([{ type: "error", error }]);
  expect(kinds()).toEqual(["malformed-error"]);
});

test.for(['"0"', "0.0", "0e0"])("a response that spells our id 0 as %s is accepted, and reported once", (raw) => {
  const { peer, kinds, ask } = talk();
  const first = ask();
  const second = ask();
  peer.receive(`{"jsonrpc":"2.0","id":${raw},"result":1}`);
  peer.receive('{"jsonrpc":"2.0","id":"1","result":2}');
  expect([first, second]).toEqual([[{ type: "result", result: 1 }], [{ type: "result", result: 2 }]]);
  expect(kinds()).toEqual(["id-spelling"]);
});

test("an array is answered with one -32600 and id null, and the next message is handled", () => {
  const { peer, told, written, kinds } = talk();
  peer.receive('[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","id":2,"method":"y"}]');
  peer.receive('{"jsonrpc":"2.0","method":"a"}');
  expect(written).toHaveLength(1);
  expect(written[0]).toContain('"id":null,"error":{"code":-32600');
  expect(kinds()).toEqual(["batch"]);
  expect(told).toEqual([["notification", "a", undefined]]);
});

test("a message without jsonrpc is accepted, and reported once", () => {
  const { peer, told, kinds, ask } = talk();
  ask();
  peer.receive('{"method":"a"}');
  peer.receive('{"id":0,"result":{}}');
  expect(told).toEqual([
    ["notification", "a", undefined],
    ["answer", "x"],
  ]);
  expect(kinds()).toEqual(["unversioned"]);
});

test("$/cancel_request names an open request, whatever the type of its id; an unknown id is ignored", () => {
  const { peer, told, requests } = talk();
  peer.receive('{"jsonrpc":"2.0","id":"7","method":"x"}');
  peer.receive('{"jsonrpc":"2.0","id":7,"method":"x"}');
  for (const params of ['{"requestId":7}', '{"requestId":8}', "{}", "null", '{"requestId":{}}']) {
    peer.receive(`{"jsonrpc":"2.0","method":"$/cancel_request","params":${params}}`);
  }
  expect(told.slice(2)).toEqual([["cancelled", requests[1]?.key]]);
});

test("our own $/cancel_request carries our id, and is not sent for an answered request", () => {
  const { peer, written } = talk();
  const id = peer.request("x", {}, () => {});
  peer.cancelRequest(id);
  peer.receive(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
  peer.cancelRequest(id);
  expect(written.slice(1)).toEqual(['{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}']);
});

test("a late response to an abandoned request is ignored silently, and a second one is reported", () => {
  const { peer, told, kinds } = talk();
  const id = peer.request("x", {}, () => told.push("never"));
  peer.abandon(id);
  peer.receive('{"jsonrpc":"2.0","id":0,"result":{}}');
  expect([told, kinds()]).toEqual([[], []]);
  peer.receive('{"jsonrpc":"2.0","id":0,"result":{}}');
  expect(kinds()).toEqual(["unknown-response"]);
});

test("closing ends every pending request once, in order, and nothing is read or written afterwards", () => {
  const { peer, told, written, requests, ask } = talk();
  const answers = [ask("a"), ask("b")];
  peer.receive('{"jsonrpc":"2.0","id":1,"method":"x"}');
  peer.close();
  peer.close();
  peer.receive('{"jsonrpc":"2.0","id":0,"result":{}}');
  peer.receive("noise");
  requests[0]?.reply({});
  peer.notify("n", {});
  expect(answers).toEqual([[{ type: "closed" }], [{ type: "closed" }]]);
  expect(told.slice(1)).toEqual([
    ["answer", "a"],
    ["answer", "b"],
  ]);
  expect(written).toHaveLength(2);
  expect(ask("c")).toEqual([{ type: "closed" }]);
});

test("a request made during the close is closed too, once", () => {
  const { peer, ask } = talk();
  let late: RequestOutcome[] = [];
  peer.request("x", {}, () => {
    late = ask("late");
  });
  peer.close();
  expect(late).toEqual([{ type: "closed" }]);
});

test("the peer does not throw for any line", () => {
  const member = fc.constantFrom("jsonrpc", "id", "method", "params", "result", "error", "x");
  const message = fc.dictionary(member, fc.oneof(fc.jsonValue(), fc.constantFrom("2.0", 0, 1, "0", null)));
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          message.map((value) => JSON.stringify(value)),
          fc.string(),
          fc.json(),
        ),
      ),
      (lines) => {
        const { peer, ask } = talk();
        const answers = [ask(), ask()];
        for (const line of lines) peer.receive(line);
        peer.close();
        expect(answers.map((given) => given.length)).toEqual([1, 1]);
      },
    ),
  );
});
