// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { characterCut } from "./utf8-cut.ts";

test("a cut never splits a character, wherever the bytes begin and end", () => {
  const range = fc.integer({ min: 0, max: 30 });
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 12 }),
      range,
      range,
      fc.integer({ min: 1, max: 12 }),
      (text, start, length, max) => {
        const whole = Buffer.from(text, "utf8");
        const bytes = whole.subarray(start, start + length);
        const { from, to } = characterCut(bytes, max);
        const piece = bytes.subarray(from, to);
        expect(Buffer.from(piece.toString("utf8"))).toEqual(Buffer.from(piece));
        expect(from).toBeLessThanOrEqual(to);
        expect(to).toBeLessThanOrEqual(bytes.length);
        expect(to - from).toBeLessThanOrEqual(Math.max(max, 4));
      },
    ),
  );
});

test.each([
  ["abc", 2, [0, 2]],
  ["aé", 2, [0, 1]],
  ["é", 1, [0, 2]],
  ["𝄞x", 3, [0, 4]],
  ["𝄞x", 5, [0, 5]],
  ["", 5, [0, 0]],
])("%j cut at %d bytes", (text, max, [from, to]) => {
  expect(characterCut(Buffer.from(text), max)).toEqual({ from, to });
});

test("partial characters at either end are left out", () => {
  const bytes = Buffer.from("é-é").subarray(1, 4);
  expect(characterCut(bytes, 10)).toEqual({ from: 1, to: 2 });
});
