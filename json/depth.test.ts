// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { isDeeperThan } from "./depth.ts";
import { parseJson } from "./raw-json.ts";

test("depth is counted in arrays and objects, whichever branch it is in", () => {
  expect(isDeeperThan("text", 0)).toBe(false);
  expect(isDeeperThan(null, 0)).toBe(false);
  expect(isDeeperThan([], 0)).toBe(true);
  const value = { a: 1, b: ["x", { c: null }], d: {} };
  expect(isDeeperThan(value, 3)).toBe(false);
  expect(isDeeperThan(value, 2)).toBe(true);
  expect(isDeeperThan(JSON.parse('{"__proto__":[[]]}'), 2)).toBe(true);
});

test("a RawJson does not count as a level", () => {
  expect(isDeeperThan(parseJson("1e400"), 0)).toBe(false);
  expect(isDeeperThan(parseJson('[{"n":1e400}]'), 2)).toBe(false);
});

test("a value of any depth is checked without overflowing the stack", () => {
  const levels = 100_000;
  expect(isDeeperThan(JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`), 1_000)).toBe(true);
});
