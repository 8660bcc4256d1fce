// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { printable, printableJson, printableLine } from "./printable.ts";
import { rendered, rich } from "./styled.ts";
import { hostileText, hostileTexts, terminalControlsIn } from "./testing/hostile-text.ts";

const repaints = (text: string): boolean =>
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u.test(text);

const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "\u001b[2J",
        "\u001b]8;;http://evil\u0007x",
        "\u009b31m",
        "\r",
        "\r\n",
        "\u0000",
        "\u007f",
        "\u202e",
        "\u2066",
        "\ufeff",
      ),
      fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit)),
      fc.integer({ min: 0xe0000, max: 0xe007f }).map((code) => String.fromCodePoint(code)),
    ),
  )
  .map((parts) => parts.join(""));

test("no text reaches the terminal with a control character, an escape sequence or a bidirectional mark", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      expect(repaints(printable(text))).toBe(false);
      expect(/\p{Surrogate}/u.test(printable(text))).toBe(false);
      expect(/[\u{e0000}-\u{e007f}]/u.test(printable(text))).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

test("printableLine always returns one line", () => {
  fc.assert(fc.property(nasty, (text) => !/[\n\t]/.test(printableLine(text)) && !repaints(printableLine(text))));
});

test("printable text stays unchanged, so applying it twice changes nothing", () => {
  fc.assert(fc.property(nasty, (text) => printable(printable(text)) === printable(text)));
});

test("letters of every script, emoji with joiners, tabs and line feeds stay unchanged", () => {
  const text = "naïve العربية 日本語 👩‍💻\tüber\nמה شلونك می‌خواهم ✈️";
  expect(printable(text)).toBe(text);
});

test("an escape sequence is made visible", () => {
  expect(printable("a\u001b[2Jb\u0000\u202ec")).toBe("a\\x1b[2Jb\\x00\\u202ec");
});

test("CR LF becomes a line feed, and a lone CR becomes visible", () => {
  expect(printable("a\r\nb\rc")).toBe("a\nb\\x0dc");
});

test.each([
  ["accents, combined or not", "é e\u0301 ñ ȩ́"],
  ["Hebrew with its points", "שָׁלוֹם"],
  ["Arabic, its number signs and joiners of Persian", "٥ \u0600١٢ می\u200cخواهم لا"],
  ["joins of Devanagari and Sinhala", "क\u094d\u200dष ක\u0dca\u200dෂ"],
  ["ideographs, kana, Hangul and their wide space", "日本語　カタカナ 한국어"],
  [
    "emoji with selectors, joiners and skin",
    "✈\ufe0f ❤\ufe0f\u200d🔥 👩🏽\u200d🚀 👨\u200d👩\u200d👧 1\ufe0f\u20e3 🇩🇪 ©\ufe0f",
  ],
  ["boxes, arrows, Braille patterns", "┌─┐ → ⠋⠿"],
])("%s stay unchanged", (_what, text) => {
  expect(printable(text)).toBe(text);
});

test.each([
  ["a\u200db", "a\\u200db"],
  ["م\u200c\u200cا", "م\\u200c\\u200cا"],
  ["x\ufe0f", "x\\ufe0f"],
  ["5\ufe0f", "5\\ufe0f"],
  ["👩\u200d ", "👩\\u200d "],
  ["\u3164\u115f\u1160\uffa0\u2800\u034f", "\\u3164\\u115f\\u1160\\uffa0\\u2800\\u034f"],
  ["\u{e0100}\u{e0041}", "\\u{e0100}\\u{e0041}"],
  ["\ue000\ufffe", "\\ue000\\ufffe"],
])("%j is shown as %j", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test("no hostile text keeps a terminal control, by itself or within styled text", () => {
  for (const text of hostileTexts) expect(terminalControlsIn(printable(text))).toEqual([]);
  fc.assert(fc.property(hostileText, (text) => terminalControlsIn(printable(text)).length === 0));
  fc.assert(fc.property(hostileText, (text) => terminalControlsIn(rendered(rich`${text}${text}`)).length === 0));
});

test("JSON for a terminal has the same value and no terminal controls", () => {
  fc.assert(
    fc.property(fc.dictionary(hostileText, hostileText), (value) => {
      const json = printableJson(JSON.stringify(value, undefined, 1));
      expect(terminalControlsIn(json)).toEqual([]);
      expect(JSON.parse(json)).toEqual(value);
    }),
  );
});

test("a megabyte of letters that could be joined takes linear time", () => {
  const text = "م".repeat(1_000_000);
  expect(printable(text)).toBe(text);
});
