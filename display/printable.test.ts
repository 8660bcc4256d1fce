// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { printable, printableLine } from "./printable.ts";

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

test("nothing that an agent writes reaches the terminal as a control character, an escape or a bidirectional mark", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      expect(repaints(printable(text))).toBe(false);
      expect(/\p{Surrogate}/u.test(printable(text))).toBe(false);
      expect(/[\u{e0000}-\u{e007f}]/u.test(printable(text))).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

test("a line stays one line whatever is in it", () => {
  fc.assert(fc.property(nasty, (text) => !/[\n\t]/.test(printableLine(text)) && !repaints(printableLine(text))));
});

test("what is printable already is not changed, so that printing twice is printing once", () => {
  fc.assert(fc.property(nasty, (text) => printable(printable(text)) === printable(text)));
});

test("letters of every script, emoji with joiners, tabs and line feeds stay as they are", () => {
  const text = "naïve العربية 日本語 👩‍💻\tüber\nמה شلونك می‌خواهم ✈️";
  expect(printable(text)).toBe(text);
});

test("an escape sequence is shown, not obeyed", () => {
  expect(printable("a\u001b[2Jb\u0000\u202ec")).toBe("a\\x1b[2Jb\\x00\\u202ec");
});

test("a Windows line end is a line end, a lone CR is visible", () => {
  expect(printable("a\r\nb\rc")).toBe("a\nb\\x0dc");
});
