// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { lineWindow, type Window } from "./read-text-file.ts";
import { Refused } from "./refusal.ts";

const cut = (text: string, window: Window): string => lineWindow(Buffer.from(text), window).toString();

test.each([
  ["a\nb\nc", {}, "a\nb\nc"],
  ["a\nb\nc", { line: 2 }, "b\nc"],
  ["a\nb\nc", { line: 1, limit: 2 }, "a\nb\n"],
  ["a\nb\nc", { line: 0, limit: 1 }, "a\n"],
  ["a\nb\nc", { line: 3 }, "c"],
  ["a\nb\nc\n", { line: 4 }, ""],
  ["a\nb\nc", { line: 99, limit: 1 }, ""],
  ["a\nb\nc", { limit: 0 }, ""],
  ["a\nb\nc", { limit: 99 }, "a\nb\nc"],
  ["a\r\nb\r\n", { line: 2, limit: 1 }, "b\r\n"],
  ["a\rb\nc", { line: 1, limit: 1 }, "a\rb\n"],
  ["\n\n\n", { line: 2, limit: 1 }, "\n"],
  ["\uFEFFa\nb", { line: 1, limit: 1 }, "\uFEFFa\n"],
  ["a\nb", { line: null, limit: null }, "a\nb"],
  ["", { line: 1, limit: 5 }, ""],
])("of %j the window %j is %j", (text, window, expected) => {
  expect(cut(text, window)).toBe(expected);
});

test.each([{ line: -1 }, { line: 1.5 }, { limit: -1 }, { limit: 0.5 }, { line: Number.NaN }, { limit: Infinity }])(
  "%j is no window, and is refused",
  (window) => {
    expect(() => cut("a\nb", window)).toThrow(Refused);
  },
);

test("a window has the lines that a plain split of the whole text gives", () => {
  const piece = fc.constantFrom("\n", "\r\n", "\r", "a", "é", "😀", "\uFEFF", "\u2028", "\0");
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  const window = fc.record({ line: fc.nat(15), limit: fc.nat(15) }, { requiredKeys: [] });
  fc.assert(
    fc.property(text, window, (whole, { line, limit }) => {
      const lines = whole.match(/[^\n]*\n|[^\n]+$/g) ?? [];
      const first = Math.max((line ?? 1) - 1, 0);
      expect(cut(whole, { line, limit })).toBe(lines.slice(first, first + (limit ?? lines.length)).join(""));
    }),
    { numRuns: 2_000 },
  );
});
