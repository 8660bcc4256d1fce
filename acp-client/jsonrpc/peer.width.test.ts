// SPDX-License-Identifier: MIT OR Apache-2.0
// A line within the length limit can have enough values to exhaust the memory, so it is refused without being parsed.
import { expect, onTestFinished, test, vi } from "vitest";
import { talk } from "../testing/talking-peer.ts";
import { peerLimits } from "./peer-limits.ts";

const { valuesMax } = peerLimits;
const limits = { valuesMax: 100 };
const said = expect.stringContaining("100 values") as unknown;

/** An array with so many values, itself included. */
function wide(values: number): string {
  return `[${"{},".repeat(values - 2)}{}]`;
}

test("a notification is delivered up to the limit, and dropped with a fault beyond it", () => {
  const { peer, told, faults, written } = talk(limits);
  // The message, its version and its method are three of them.
  peer.receive(`{"jsonrpc":"2.0","method":"a","params":${wide(97)}}`);
  peer.receive(`{"jsonrpc":"2.0","method":"b","params":${wide(98)}}`);
  peer.receive('{"jsonrpc":"2.0","method":"c"}');
  expect(told).toMatchObject([
    ["notification", "a", expect.anything()],
    ["notification", "c", undefined],
  ]);
  expect(faults).toMatchObject([{ fault: "too-wide", message: said }]);
  expect(faults[0]?.sample.length).toBeLessThanOrEqual(peerLimits.sampleCharactersMax);
  expect(written).toEqual([]);
});

test("a request beyond the limit is refused with its own id, which may be used again", () => {
  const { peer, requests, written } = talk(limits);
  peer.receive(`{"jsonrpc":"2.0","params":${wide(200)},"id":1.0,"method":"x"}`);
  peer.receive('{"jsonrpc":"2.0","id":1,"method":"x"}');
  expect(written).toHaveLength(1);
  expect(written[0]).toContain('"id":1.0');
  expect(JSON.parse(written[0] ?? "")).toMatchObject({ error: { code: -32600, message: said } });
  expect(requests).toHaveLength(1);
});

test("an id that is itself too wide is not echoed", () => {
  const { peer, kinds, written } = talk(limits);
  peer.receive(`{"jsonrpc":"2.0","method":"x","id":${wide(200)}}`);
  expect(kinds()).toEqual(["too-wide"]);
  expect(written.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ id: null, error: { code: -32600 } }]);
});

test.for(["result", "error"])("a response whose %s is beyond the limit fails its request, once", (member) => {
  const { peer, ask, kinds } = talk(limits);
  const answers = ask();
  const line = `{"jsonrpc":"2.0","id":0,"${member}":{"code":1,"message":"m","data":${wide(200)}}}`;
  peer.receive(line);
  peer.receive(line);
  expect(answers).toMatchObject([{ type: "malformed", what: said }]);
  expect(kinds()).toEqual(["too-wide", "too-wide", "unknown-response"]);
});

test("JSON that is not a message is a batch or noise, however wide", () => {
  const { peer, kinds, written } = talk(limits);
  peer.receive(wide(200));
  peer.receive(`{"level":"info","values":${wide(200)}}`);
  peer.receive(String.raw`{"\x":${wide(200)}}`);
  peer.receive(",".repeat(1_000));
  expect(kinds()).toEqual(["batch", "noise", "noise", "noise"]);
  expect(written).toHaveLength(1);
});

test("a line of millions of values is never parsed, and a long text is accepted", () => {
  const { peer, told, kinds } = talk();
  const text = JSON.stringify("{},[],".repeat(valuesMax));
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => {
    parse.mockRestore();
  });
  peer.receive(`{"jsonrpc":"2.0","method":"a","params":{"a":${wide(2 * valuesMax)}}}`);
  peer.receive(wide(2 * valuesMax));
  for (const [parsed] of parse.mock.calls) expect(parsed.length).toBeLessThan(10);
  peer.receive(`{"jsonrpc":"2.0","method":"b","params":${text}}`);
  expect(kinds()).toEqual(["too-wide", "batch"]);
  expect(told).toMatchObject([["notification", "b", expect.any(String)]]);
});

test("a wide request that is cut off is refused as unreadable", () => {
  const { peer, kinds, written } = talk(limits);
  peer.receive(`{"jsonrpc":"2.0","id":1,"method":"x","params":${wide(200)}`);
  expect(kinds()).toEqual(["not-json"]);
  expect(written).toEqual([expect.stringContaining('"id":1,"error":{"code":-32700')]);
});
