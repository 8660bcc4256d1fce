// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { approximateLength } from "./approximate-length.ts";
import { parseJson } from "./raw-json.ts";

test("strings and names count with their lengths, and each value adds one", () => {
  expect(approximateLength(null, 100)).toBe(1);
  expect(approximateLength("text", 100)).toBe(5);
  expect(approximateLength(["a", "b"], 100)).toBe(5);
  expect(approximateLength({ name: [1, { x: "yz" }] }, 100)).toBe(1 + 4 + 1 + 1 + 1 + 1 + 3);
});

test("a RawJson counts with the length of its text", () => {
  expect(approximateLength(parseJson("1193820475610234881"), 100)).toBeGreaterThan(19);
});

test("counting stops beyond the bound, however wide or deep the value is", () => {
  expect(approximateLength("x".repeat(1_000_000).split(""), 100)).toBeLessThan(110);
  expect(approximateLength(JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`), 1_000)).toBeLessThan(1_010);
  expect(approximateLength(["x".repeat(500), "y"], 100)).toBeGreaterThan(100);
});
