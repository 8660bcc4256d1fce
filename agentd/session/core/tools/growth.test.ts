// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { findGrowth, findGrowths } from "./growth.ts";
import { parseJson } from "../../../../json/raw-json.ts";

const text = fc.string({ unit: "binary" });

test("a growth appended to the old text gives the whole text", () => {
  fc.assert(
    fc.property(text, text, (old, added) => {
      expect(findGrowth(old, old + added)).toEqual({ at: old.length, text: added });
    }),
  );
});

test("a growth is found exactly when the text begins with the old one", () => {
  const few = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 6 });
  fc.assert(
    fc.property(few, few, (old, next) => {
      const found = findGrowth(old, next);
      expect(found !== undefined).toBe(next.slice(0, old.length) === old);
      if (found) expect(old.slice(0, found.at) + found.text).toBe(next);
    }),
  );
});

test("a growth never splits a surrogate pair", () => {
  fc.assert(
    fc.property(text, fc.nat(), (next, cut) => {
      const old = next.slice(0, cut % (next.length + 1));
      const found = findGrowth(old, next);
      expect(found === undefined).toBe(isTorn(old));
      if (found) expect(isTorn(found.text)).toBe(false);
    }),
  );
  expect(findGrowth("\ud83d", "\ud83d\ude00")).toBeUndefined();
  expect(findGrowth("\ud83d", "\ud83dx")).toEqual({ at: 1, text: "x" });
});

test("a shorter text, and one that changed in the middle, did not grow", () => {
  expect(findGrowth("abc", "ab")).toBeUndefined();
  expect(findGrowth("abc", "abX and more")).toBeUndefined();
  expect(findGrowth("", "all of it")).toEqual({ at: 0, text: "all of it" });
  expect(findGrowth("same", "same")).toEqual({ at: 4, text: "" });
});

test("grown texts are found anywhere in the value, and any other change is not a growth", () => {
  const old = { a: [1, "x", null], b: { c: "one", d: true } };
  expect(findGrowths(old, structuredClone(old), ["m"])).toEqual([]);
  expect(findGrowths(old, { a: [1, "xy", null], b: { c: "one two", d: true } }, ["m"])).toEqual([
    { path: ["m", "a", 1], at: 1, text: "y" },
    { path: ["m", "b", "c"], at: 3, text: " two" },
  ]);
  const others = [
    { ...old, a: [2, "x", null] },
    { ...old, a: [1, "x", null, "more"] },
    { ...old, a: { 0: 1, 1: "x", 2: null } },
    { ...old, more: 1 },
    { a: old.a },
    { b: old.b, a: old.a },
    { ...old, b: { c: 1, d: true } },
    { ...old, b: null },
    null,
    "text",
  ];
  for (const next of others) expect(findGrowths(old, next, [])).toBeUndefined();
});

/** Returns whether a surrogate pair was split. */
function isTorn(value: string): boolean {
  return /\p{Surrogate}/u.test(value);
}

test("a number kept as source text is equal or different, but never a growth", () => {
  const value = (number: string): unknown => parseJson(`{"id":${number},"text":"ab"}`);
  expect(findGrowths(value("1193820475610234881"), value("1193820475610234881"), ["m"])).toEqual([]);
  expect(findGrowths(value("1193820475610234881"), value("11938204756102348811"), ["m"])).toBeUndefined();
  expect(findGrowths(value("1.0"), value("1"), ["m"])).toBeUndefined();
});
