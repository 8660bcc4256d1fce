// SPDX-License-Identifier: MIT OR Apache-2.0
// JSON.parse accepts any depth, but recursion over the value does not.
import { expect, test } from "vitest";
import { talk } from "../testing/talking-peer.ts";
import { peerLimits } from "./peer-limits.ts";

const { depthMax } = peerLimits;

/** Arrays in `levels` levels. */
function nested(levels: number): string {
  return `${"[".repeat(levels)}${"]".repeat(levels)}`;
}

test("a notification is delivered up to the limit, and dropped with a fault beyond it", () => {
  const { peer, told, faults, written } = talk();
  // The message is a level of its own.
  peer.receive(`{"jsonrpc":"2.0","method":"a","params":${nested(depthMax - 1)}}`);
  peer.receive(`{"jsonrpc":"2.0","method":"b","params":${nested(depthMax)}}`);
  peer.receive(`{"jsonrpc":"2.0","method":"c","params":${nested(100_000)}}`);
  expect(told).toMatchObject([["notification", "a", expect.anything()]]);
  expect(faults.map(({ fault }) => fault)).toEqual(["too-deep", "too-deep"]);
  expect(faults[1]?.message).toContain(String(depthMax));
  expect(faults[1]?.sample.length).toBeLessThanOrEqual(peerLimits.sampleCharactersMax);
  expect(written).toEqual([]);
});

test("a request beyond the limit is refused with its own id, which may be used again", () => {
  const { peer, requests, written } = talk();
  peer.receive(`{"jsonrpc":"2.0","params":${nested(5_000)},"id":1.0,"method":"x"}`);
  peer.receive('{"jsonrpc":"2.0","id":1,"method":"x"}');
  expect(written).toHaveLength(1);
  expect(written[0]).toContain('"id":1.0');
  expect(JSON.parse(written[0] ?? "")).toMatchObject({
    error: { code: -32600, message: expect.stringContaining(`${depthMax} levels`) as unknown },
  });
  expect(requests).toHaveLength(1);
});

test("an id that is itself too deep is not echoed", () => {
  const { peer, kinds, written } = talk();
  peer.receive(`{"jsonrpc":"2.0","method":"x","id":${nested(5_000)}}`);
  expect(kinds()).toEqual(["too-deep"]);
  expect(written.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ id: null, error: { code: -32600 } }]);
});

test.for(["result", "error"])("a response whose %s is beyond the limit fails its request, once", (member) => {
  const { peer, ask, kinds } = talk();
  const answers = ask();
  const line = `{"jsonrpc":"2.0","id":0,"${member}":{"code":1,"message":"m","data":${nested(5_000)}}}`;
  peer.receive(line);
  peer.receive(line);
  expect(answers).toMatchObject([
    { type: "malformed", what: expect.stringContaining(`${depthMax} levels`) as unknown },
  ]);
  expect(kinds()).toEqual(["too-deep", "too-deep", "unknown-response"]);
});
