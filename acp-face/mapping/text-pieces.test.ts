// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { utf8Length } from "../../json/utf8-length.ts";
import { pieceBytesMax, textPieces } from "./text-pieces.ts";

test("a text is cut at the last end of a line that fits", () => {
  expect(textPieces("one\ntwo\nthree", 9)).toEqual(["one\ntwo\n", "three"]);
  expect(textPieces("one\r\ntwo\r\nthree", 6)).toEqual(["one\r\n", "two\r\n", "three"]);
});

test("a line that is too long is cut between characters", () => {
  expect(textPieces("abcdefgh", 3)).toEqual(["abc", "def", "gh"]);
  expect(textPieces("äöü", 4)).toEqual(["äö", "ü"]);
  expect(textPieces("€uro", 4)).toEqual(["€u", "ro"]);
  expect(textPieces("a😀b😀", 5)).toEqual(["a😀", "b😀"]);
  expect(textPieces("abc\r\nd", 4)).toEqual(["abc", "\r\nd"]);
});

test("a text of 16 KiB is one piece, and one byte more makes two", () => {
  expect(textPieces("")).toEqual([""]);
  expect(textPieces("x".repeat(pieceBytesMax))).toHaveLength(1);
  expect(textPieces("x".repeat(pieceBytesMax + 1)).map((piece) => piece.length)).toEqual([pieceBytesMax, 1]);
});

test("whatever the text, its pieces are short and whole, and together the text", () => {
  const character = fc.oneof(fc.constantFrom("a", "\n", "\r", "\r\n", "é", "€", "😀", "\ud83d", "\ude00"), fc.string());
  fc.assert(
    fc.property(fc.array(character, { maxLength: 60 }), fc.integer({ min: 4, max: 24 }), (characters, bytesMax) => {
      const text = characters.join("");
      const pieces = textPieces(text, bytesMax);
      expect(pieces.join("")).toBe(text);
      for (const piece of pieces) expect(utf8Length(piece)).toBeLessThanOrEqual(bytesMax);
      for (const [index, piece] of pieces.entries()) {
        const next = pieces[index + 1];
        if (next === undefined) continue;
        expect(piece).not.toBe("");
        expect(piece.endsWith("\r") && next.startsWith("\n")).toBe(false);
        expect(/[\ud800-\udbff]$/.test(piece) && /^[\udc00-\udfff]/.test(next)).toBe(false);
        // A piece that has an end of a line ends with one.
        if (piece.includes("\n")) expect(piece.endsWith("\n")).toBe(true);
      }
    }),
  );
});
