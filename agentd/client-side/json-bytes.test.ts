// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fitsAsJson, maxJsonBytes } from "./json-bytes.ts";

test("a text fits into as many bytes as JSON.stringify makes of it, and into no fewer", () => {
  const escaped = String.fromCodePoint(...Array.from({ length: 0x80 }, (_, code) => code));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(escaped, "\0", "\n\0", "")), (text) => {
      const [utf8, json] = [Buffer.byteLength(text), Buffer.byteLength(JSON.stringify(text))];
      expect([fitsAsJson(text, utf8, json), fitsAsJson(text, utf8, json - 1)]).toEqual([true, false]);
      expect(maxJsonBytes(utf8)).toBeGreaterThanOrEqual(json);
    }),
  );
});
