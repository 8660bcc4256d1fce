// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { displayWidth, truncateStart, truncateToWidth } from "./width.ts";
import { colours, rendered, rich, wrapped } from "./styled.ts";
import { noPrefix, WordWrap } from "./word-wrap.ts";

function wrap(pieces: readonly string[], columns: number): string {
  const words = new WordWrap(columns);
  let written = "";
  for (const piece of pieces) {
    for (const [index, line] of piece.split("\n").entries()) {
      if (index > 0) words.lineFeed();
      words.write(line);
    }
    written += rendered(words.take());
  }
  words.flush();
  return written + rendered(words.take());
}

test("lines break between words, however the text is split into chunks", () => {
  expect(wrap(["the quick br", "own fox ju", "mps"], 10)).toBe("the quick\nbrown fox\njumps");
});

test("the split into chunks does not change the result", () => {
  const unit = fc.constantFrom("a", "bc", " ", "\n", "字", "é", "e\u0301", "👩\u200d🚀", "。", "\t");
  fc.assert(
    fc.property(fc.array(fc.string({ unit })), fc.integer({ min: 4, max: 30 }), (parts, columns) => {
      expect(wrap(parts, columns)).toBe(wrap([parts.join("")], columns));
    }),
  );
});

test("no line is wider than the screen, not even with a word that is", () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "字"), minLength: 1, maxLength: 40 }));
  fc.assert(
    fc.property(words, (some) => {
      const lines = wrap([some.join(" ")], 14).split("\n");
      return lines.every((line) => displayWidth(line) <= 14);
    }),
  );
});

test.each([
  ["a word that escapes make longer than a row, after a full row", "abcd efghijklm \u202e\u202e\u202e"],
  ["a joiner at the edge of a row", `${"a".repeat(13)}\u0649\u200c\u0634${"b".repeat(20)}`],
])("no line is wider than the screen: %s", (_what, text) => {
  for (const row of wrap([text], 14).split("\n")) expect(displayWidth(row)).toBeLessThanOrEqual(14);
});

test("no words are lost", () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "字"), minLength: 1, maxLength: 40 }));
  fc.assert(fc.property(words, (some) => wrap([some.join(" ")], 9).replace(/\s/g, "") === some.join("")));
});

test.each([
  ["if x:\n    return y\n", 40, "if x:\n    return y\n"],
  ["see https://example.org/a/b/c", 20, "see\nhttps://example.org/\na/b/c"],
  ["日本語、日本語", 6, "日本\n語、日\n本語"],
  ["a 👩‍🚀👩‍🚀", 5, "a\n👩‍🚀\n👩‍🚀"],
])("%j at %i columns is %j", (text, columns, expected) => {
  expect(wrap([text], columns)).toBe(expected);
});

test("each row has its prefix, and a gap between words of one paint is painted with them", () => {
  const words = new WordWrap(12);
  const prefix = (text: string) => ({ pieces: [{ text, paint: undefined }], width: text.length });
  words.begin(prefix("- "), prefix("  "));
  words.write("one two", colours.link);
  words.write(" three");
  words.lineFeed();
  words.begin(noPrefix, noPrefix);
  words.write("four");
  words.flush();
  expect(rendered(words.take())).toBe("- \u001b[4mone two\u001b[24m\n  three\nfour");
});

test("a line of a help or an error is wrapped between words, further rows deeper than the line", () => {
  expect(rendered(wrapped("one two three\n  four five six", 10, 2))).toBe(
    "one two\n  three\n  four\n    five\n    six",
  );
  expect(rendered(wrapped("one two three", 0))).toBe("one two three");
  expect(rendered(wrapped(rich`${colours.error("one two")} three`, 9))).toBe("\u001b[91mone two\u001b[39m\nthree");
});

test("text is cut by display columns, not by characters", () => {
  expect(truncateToWidth("日本語日本語", 7)).toBe("日本語…");
  expect(truncateToWidth("short", 7)).toBe("short");
  expect(truncateStart("/home/日本語", 7)).toBe("…日本語");
  expect(truncateStart("short", 7)).toBe("short");
});
