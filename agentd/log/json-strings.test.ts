// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonStrings, withJsonStrings } from "./json-strings.ts";

const written = fc
  .tuple(fc.jsonValue({ stringUnit: "binary" }), fc.constantFrom(undefined, 1, "\t"))
  .map(([value, space]) => JSON.stringify(value, undefined, space));

type Path = readonly (string | number)[];

/** Finds the names and strings of a parsed value, with their paths, in the order of jsonStrings. */
function stringsOf(value: unknown, path: Path = []): { value: string; path: Path; isName: boolean }[] {
  if (typeof value === "string") return [{ value, path, isName: false }];
  if (Array.isArray(value)) return value.flatMap((item, index) => stringsOf(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    { value: name, path: [...path, name], isName: true },
    ...stringsOf(member, [...path, name]),
  ]);
}

test("every string of a JSON text is found, with its value and its path", () => {
  fc.assert(
    fc.property(written, (text) => {
      const found = [...jsonStrings(text)];
      for (const { from, to, value } of found) expect(JSON.parse(text.slice(from, to))).toBe(value);
      const shape = (strings: { value: string; path: Path; isName: boolean }[]) =>
        strings.map(({ value, path, isName }) => ({ value, path, isName }));
      expect(shape(found)).toEqual(shape(stringsOf(JSON.parse(text))));
    }),
  );
});

test("replacing strings changes nothing else, and replacing each by itself changes nothing", () => {
  fc.assert(
    fc.property(written, fc.string({ unit: "binary" }), (text, other) => {
      const found = [...jsonStrings(text)].filter(({ isName }) => !isName);
      const again = withJsonStrings(text, found);
      expect(JSON.parse(again)).toEqual(JSON.parse(text));
      const replaced = withJsonStrings(
        text,
        found.map(({ from, to }) => ({ from, to, value: other })),
      );
      const gone = JSON.stringify(JSON.parse(text), (_, value: unknown) => (typeof value === "string" ? other : value));
      expect(JSON.parse(replaced)).toEqual(JSON.parse(gone));
    }),
  );
});

test("numbers, spaces and duplicate members stay as they were written", () => {
  const text = '{"a": 1.50, "a": "x", "b" : [1e3, "x\\u0041"]}';
  const replaced = [...jsonStrings(text)].filter(({ isName }) => !isName).map((string) => ({ ...string, value: "y" }));
  expect(withJsonStrings(text, replaced)).toBe('{"a": 1.50, "a": "y", "b" : [1e3, "y"]}');
});

test("a string of a megabyte of backslashes is read in linear time", () => {
  const value = '\\"'.repeat(500_000);
  expect([...jsonStrings(JSON.stringify([value, "end"]))].map((string) => string.value)).toEqual([value, "end"]);
});
