// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { secretSearch } from "./secret-search.ts";
import { secretOf, runToEnd } from "./testing/maintained-log.ts";

test("a secret is found by its hash exactly where a search for its text finds it", () => {
  const few = fc.string({ unit: fc.constantFrom("a", "é", "😀"), maxLength: 60 });
  const secret = fc
    .string({ unit: fc.constantFrom("a", "é", "😀"), minLength: 2, maxLength: 4 })
    .filter((text) => Buffer.byteLength(text) >= 4);
  fc.assert(
    fc.property(few, secret, (text, hidden) => {
      const bytes = Buffer.from(text);
      const expected: number[] = [];
      for (let at = bytes.indexOf(hidden); at >= 0; at = bytes.indexOf(hidden, at + Buffer.byteLength(hidden))) {
        expected.push(at);
      }
      expect(runToEnd(secretSearch(secretOf(hidden)).occurrences(bytes))).toEqual(expected);
    }),
  );
});

test("a long text is searched in steps, whichever length the secret has", () => {
  const text = Buffer.from(`${"x".repeat(50_000)}the end`);
  const stepsFor = (hidden: string): number => {
    let steps = 0;
    const found = runToEnd(secretSearch(secretOf(hidden)).occurrences(text), () => (steps += 1));
    expect(found).toEqual([text.length - hidden.length]);
    return steps;
  };
  expect(stepsFor("the end")).toBe(24);
  expect(stepsFor(`${"x".repeat(4089)}the end`)).toBeGreaterThan(300);
});

test.each([
  { sha256: "a".repeat(64), length: 3 },
  { sha256: "a".repeat(64), length: 8193 },
  { sha256: "a".repeat(64), length: Number.NaN },
  { sha256: "A".repeat(64), length: 8 },
  { sha256: "a".repeat(63), length: 8 },
])("a malformed hash or a length out of range is refused: $sha256, $length", (secret) => {
  expect(() => secretSearch(secret)).toThrow(RangeError);
});
