// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonMatch } from "./bus-wait.ts";
import { parseJson } from "../../json/raw-json.ts";

test("a match requires the wanted members at any depth, and ignores others", () => {
  expect(jsonMatch({ a: { b: 1, c: 2 }, d: 3 }, { a: { b: 1 } })).toBe(true);
  expect(jsonMatch({ a: { b: 2 } }, { a: { b: 1 } })).toBe(false);
  expect(jsonMatch({ a: [{ b: 1, c: 1 }] }, { a: [{ b: 1 }] })).toBe(true);
  expect(jsonMatch({ a: [1, 2] }, { a: [1] })).toBe(false);
  expect(jsonMatch({ a: {} }, { a: [] })).toBe(false);
  expect(jsonMatch({}, { toString: null })).toBe(false);
  expect(jsonMatch(undefined, {})).toBe(false);
});

test("every JSON value matches itself", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => jsonMatch(value, JSON.parse(JSON.stringify(value)))));
});

test("a message may be nested deeper than recursion could follow", () => {
  const deep = JSON.parse(`{"a":1,"b":${"[".repeat(100_000)}${"]".repeat(100_000)}}`) as object;
  expect(jsonMatch(deep, { a: 1 })).toBe(true);
  expect(jsonMatch(deep, { b: [[2]] })).toBe(false);
});

test("equal numbers match, however they are written", () => {
  const match = (value: string, wanted: string): boolean => jsonMatch(parseJson(value), parseJson(wanted));
  expect(match('{"id":1193820475610234881}', '{"id":1193820475610234881}')).toBe(true);
  expect(match('{"id":1193820475610234881}', '{"id":1193820475610234880}')).toBe(false);
  expect(match('{"id":1.0}', '{"id":1}')).toBe(true);
  expect(match('{"id":"1.0"}', '{"id":1.0}')).toBe(false);
});
