// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { utf8Length } from "./utf8-length.ts";

test("a text has as many bytes as Node would write, lone surrogates included", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
    fc.constantFrom("", "a", "\u00e9", "\u20ac", "\u{1f600}", "\ud83d", "\ude00", "\ude00\ud83d", "\ud83da"),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
    }),
  );
});
