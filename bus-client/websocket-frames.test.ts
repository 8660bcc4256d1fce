// SPDX-License-Identifier: MIT OR Apache-2.0

import { array, assert, integer, property, string } from "fast-check";
import { expect, test } from "vitest";
import { FrameReader, MaskingEncoder, WebSocketFault, encodeFrame, opcodes } from "./websocket-frames.ts";

function readAll(bytes: Buffer, cuts: readonly number[], messageBytesMax = 1_000_000): string[] {
  const seen: string[] = [];
  const listener = {
    text: (message: string) => seen.push(message),
    binary: () => seen.push("<binary>"),
    ping: (payload: Buffer) => seen.push(`<ping ${payload.toString()}>`),
    close: (code: number | undefined) => seen.push(`<close ${code}>`),
  };
  const reader = new FrameReader(listener, messageBytesMax);
  let start = 0;
  for (const cut of [...cuts, bytes.length]) {
    const end = Math.min(start + cut, bytes.length);
    reader.push(bytes.subarray(start, end));
    start = end;
  }
  return seen;
}

function faultOf(run: () => unknown): number | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof WebSocketFault ? error.closeCode : -1;
  }
}

/** A frame whose final bit is off. */
function unfinished(opcode: number, payload: string): Buffer {
  const frame = encodeFrame(opcode, payload);
  frame[0]! &= 0x7f;
  return frame;
}

test("messages come out whole and in order however their bytes are cut", () => {
  assert(
    property(
      array(string({ unit: "grapheme", maxLength: 200 }), { maxLength: 6 }),
      array(integer({ min: 0, max: 40 }), { maxLength: 60 }),
      (messages, cuts) => {
        const bytes = Buffer.concat(messages.map((message) => encodeFrame(opcodes.text, message)));
        expect(readAll(bytes, cuts)).toEqual(messages);
      },
    ),
  );
});

test("a text in pieces makes the frame of the whole text", () => {
  assert(
    property(array(string({ unit: "grapheme", maxLength: 200 }), { maxLength: 6 }), (pieces) => {
      expect(encodeFrame(opcodes.text, pieces).equals(encodeFrame(opcodes.text, pieces.join("")))).toBe(true);
    }),
  );
});

test("each of the three forms of a length is read at its edges", () => {
  for (const length of [0, 1, 125, 126, 127, 65_535, 65_536, 200_000]) {
    const message = "é".repeat(length >> 1) + "x".repeat(length & 1);
    expect(readAll(encodeFrame(opcodes.text, message), [1, 1, 3])).toEqual([message]);
  }
});

test("a client's frame is masked, and unmasking it gives the payload back", () => {
  const frame = new MaskingEncoder().encode(opcodes.text, "hello, wörld");
  expect(frame[1]! & 0x80).toBe(0x80);
  const mask = frame.subarray(2, 6);
  const payload = Buffer.from(frame.subarray(6).map((byte, index) => byte ^ mask[index & 3]!));
  expect(payload.toString()).toBe("hello, wörld");
});

test("masks differ from frame to frame, past the block of random bytes", () => {
  const encoder = new MaskingEncoder();
  const masks = Array.from({ length: 2_000 }, () => encoder.encode(opcodes.text, "").readUInt32BE(2));
  expect(new Set(masks).size).toBeGreaterThan(1_990);
});

test("fragments are joined, and a ping between them is not lost", () => {
  const bytes = Buffer.concat([
    unfinished(opcodes.text, "one "),
    encodeFrame(opcodes.ping, "p"),
    unfinished(opcodes.continuation, ""),
    unfinished(opcodes.continuation, "two "),
    encodeFrame(opcodes.continuation, "three"),
  ]);
  expect(readAll(bytes, [3, 3, 3])).toEqual(["<ping p>", "one two three"]);
});

test("a character cut in two by fragments is read", () => {
  const half = Buffer.from("é");
  const first = encodeFrame(opcodes.text, half.subarray(0, 1));
  first[0]! &= 0x7f;
  expect(readAll(Buffer.concat([first, encodeFrame(opcodes.continuation, half.subarray(1))]), [])).toEqual(["é"]);
});

test("what breaks the protocol is a fault with the close code that tells so", () => {
  const reserved = encodeFrame(opcodes.text, "x");
  reserved[0]! |= 0x40;
  const longPing = encodeFrame(opcodes.ping, "x".repeat(126));
  const invalid = encodeFrame(opcodes.text, Buffer.from([0xff, 0xfe]));
  const cases: [string, Buffer, number][] = [
    ["a reserved bit", reserved, 1002],
    ["a mask", new MaskingEncoder().encode(opcodes.text, "x"), 1002],
    ["an unknown opcode", encodeFrame(3, "x"), 1002],
    ["an unknown control opcode", encodeFrame(11, "x"), 1002],
    ["a long ping", longPing, 1002],
    ["a ping in pieces", unfinished(opcodes.ping, "x"), 1002],
    ["a continuation of nothing", encodeFrame(opcodes.continuation, "x"), 1002],
    [
      "a message within a message",
      Buffer.concat([unfinished(opcodes.text, "x"), encodeFrame(opcodes.text, "y")]),
      1002,
    ],
    ["text that is not UTF-8", invalid, 1007],
  ];
  for (const [what, bytes, code] of cases) expect([what, faultOf(() => readAll(bytes, []))]).toEqual([what, code]);
});

test("a message over the limit is refused from its header on, in pieces too", () => {
  const header = encodeFrame(opcodes.text, "x".repeat(101)).subarray(0, 2);
  expect(faultOf(() => readAll(header, [], 100))).toBe(1009);
  const pieces = Buffer.concat([
    unfinished(opcodes.text, "x".repeat(60)),
    encodeFrame(opcodes.continuation, "x".repeat(60)),
  ]);
  expect(faultOf(() => readAll(pieces, [], 100))).toBe(1009);
  expect(readAll(encodeFrame(opcodes.text, "x".repeat(100)), [], 100)).toHaveLength(1);
});
