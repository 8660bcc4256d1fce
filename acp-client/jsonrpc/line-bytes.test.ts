// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOfSpan } from "./line-bytes.ts";

const text = fc
  .array(fc.constantFrom("a", "}", "é", "€", "😀", "\ufffd"), { maxLength: 4 })
  .map((parts) => parts.join(""));

test("the bytes of a part of a line, if any, are its UTF-8", () => {
  let found = 0;
  fc.assert(
    fc.property(text, text, text, (before, part, after) => {
      const line = before + part + after;
      const span = { start: before.length, end: before.length + part.length };
      const bytes = bytesOfSpan(line, Buffer.from(line), span);
      if (/^[a}]*$/.test(before + after)) expect(bytes).toBeDefined();
      if (bytes === undefined) return;
      found += 1;
      expect(bytes.toString()).toBe(part);
    }),
    { numRuns: 2000 },
  );
  expect(found).toBeGreaterThan(100);
});

test("invalid UTF-8 has no bytes, even if the decoded line has the same length", () => {
  const bytes = Buffer.from([0x61, 0xff, 0x62]);
  expect(bytesOfSpan(bytes.toString(), bytes, { start: 1, end: 2 })).toBeUndefined();
  expect(bytesOfSpan(bytes.toString(), bytes, { start: 0, end: 1 })).toBeUndefined();
});
