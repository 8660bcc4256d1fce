// SPDX-License-Identifier: MIT OR Apache-2.0
import { assert, integer, property } from "fast-check";
import { expect, test } from "vitest";
import { StderrLines } from "./stderr-lines.ts";

function linesOf(...chunks: Buffer[]): string[] {
  const lines: string[] = [];
  const reader = new StderrLines((line) => lines.push(line));
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return lines;
}

test("a line is whole wherever the read was cut, also within a character", () => {
  const bytes = Buffer.from("first é line\nsecond 😀 line\r\nlast");
  assert(
    property(integer({ min: 0, max: bytes.length }), (cut) => {
      const lines = linesOf(bytes.subarray(0, cut), bytes.subarray(cut));
      expect(lines).toEqual(["first é line", "second 😀 line", "last"]);
    }),
  );
});

test("each state of a progress bar is a line", () => {
  expect(linesOf(Buffer.from("10%\r20%\r\r\n100%\n"))).toEqual(["10%", "20%", "100%"]);
});

test("a line without an end is handed on in pieces instead of growing", () => {
  const lines = linesOf(...Array.from({ length: 100 }, () => Buffer.from("x".repeat(1000))));
  expect(lines.join("")).toBe("x".repeat(100_000));
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(8192);
});
