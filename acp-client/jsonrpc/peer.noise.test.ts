// SPDX-License-Identifier: MIT OR Apache-2.0
// Lines on the agent's stdout that are not messages.
import { expect, test } from "vitest";
import { talk } from "../testing/talking-peer.ts";

test.for([
  "starting...",
  "1",
  '"text"',
  "null",
  "true",
  '{"level":30,"id":0,"msg":"a structured log line"}',
  'DEBUG x={"a":1} {"jsonrpc":"2.0","id":0,"result":{}}',
  // Text that quotes an answer, in a line that begins like a message.
  '{"level":30,"msg":"got {"id":0,"result":{}}"}',
  '{"level":30} {"jsonrpc":"2.0","id":0,"result":{}}',
  '{"level":30,"data":{"id":0,"result":NaN}}',
  '{"result":NaN}',
  "{id: 0, result: 1}",
])("the line %s is noise: it is reported and has no other effect", (line) => {
  const { peer, told, written, kinds, ask } = talk();
  const answers = ask();
  peer.receive(line);
  expect(kinds()).toEqual(["noise"]);
  expect(told).toEqual([]);
  expect(written).toHaveLength(1);
  peer.receive('{"jsonrpc":"2.0","id":0,"result":1}');
  expect(answers).toEqual([{ type: "result", result: 1 }]);
});

test("a line of spaces is not even noise", () => {
  const { peer, kinds } = talk();
  peer.receive(" \t ");
  expect(kinds()).toEqual([]);
});

test("the sample of a long line is bounded and never ends in half a character", () => {
  const { peer, faults } = talk();
  peer.receive(`${"x".repeat(199)}😀😀 not JSON`);
  peer.receive(`${"x".repeat(198)}😀😀 not JSON`);
  expect(faults.map(({ sample }) => sample)).toEqual(["x".repeat(199), `${"x".repeat(198)}😀`]);
});

test("9,999 consecutive lines of noise are tolerated, 10,000 are reported as broken, once", () => {
  const { peer, told } = talk();
  for (let line = 0; line < 9_999; line += 1) peer.receive("noise");
  peer.receive('{"jsonrpc":"2.0","method":"a"}');
  for (let line = 0; line < 9_999; line += 1) peer.receive("noise");
  expect(told).toEqual([["notification", "a", undefined]]);
  peer.receive("noise");
  peer.receive("noise");
  expect(told.slice(1)).toEqual([["broken", expect.stringContaining("10000 lines")]]);
});

test("few but endless lines of noise are bounded too", () => {
  const { peer, told } = talk({ noiseCharactersMax: 100 });
  peer.receive("x".repeat(99));
  expect(told).toEqual([]);
  peer.receive("x");
  expect(told).toEqual([["broken", expect.stringContaining("100 characters")]]);
});
