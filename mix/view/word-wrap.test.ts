// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { displayWidth, truncateToWidth } from "../../display/width.ts";
import { WordWrap } from "./word-wrap.ts";

const wrapped = (pieces: readonly string[], columns: number): string => {
  const wrap = new WordWrap(columns);
  return pieces.map((piece) => wrap.write(piece)).join("") + wrap.flush();
};

test("lines break between words, however the text is split into chunks", () => {
  expect(wrapped(["the quick br", "own fox ju", "mps"], 10)).toBe("the quick\nbrown fox\njumps");
});

test("the split into chunks does not change the result", () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "bc", " ", "\n", "字", "é") }));
  fc.assert(
    fc.property(
      pieces,
      fc.integer({ min: 4, max: 30 }),
      (parts, columns) => wrapped(parts, columns) === wrapped([parts.join("")], columns),
    ),
  );
});

test("no line is wider than the screen unless a single word is", () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "字"), minLength: 1, maxLength: 6 }));
  fc.assert(
    fc.property(words, (some) => {
      const lines = wrapped([some.join(" ")], 14).split("\n");
      return lines.every((line) => displayWidth(line) <= 14);
    }),
  );
});

test("no words are lost", () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "字"), minLength: 1, maxLength: 40 }));
  fc.assert(fc.property(words, (some) => wrapped([some.join(" ")], 9).replace(/\s/g, "") === some.join("")));
});

test("indented code keeps its indentation", () => {
  expect(wrapped(["if x:\n    return y\n"], 40)).toBe("if x:\n    return y\n");
});

test("without a width nothing is wrapped and nothing is held back", () => {
  expect(new WordWrap(0).write(`${"word ".repeat(100)}end`)).toBe(`${"word ".repeat(100)}end`);
});

test("text is wrapped by display columns, not by characters", () => {
  expect(truncateToWidth("日本語日本語", 7)).toBe("日本語…");
  expect(truncateToWidth("short", 7)).toBe("short");
});
