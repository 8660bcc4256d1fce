// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonStrings, withJsonStrings } from "./json-strings.ts";

const written = fc
  .tuple(fc.jsonValue({ stringUnit: "binary" }), fc.constantFrom(undefined, 1, "\t"))
  .map(([value, space]) => JSON.stringify(value, undefined, space));

type Path = readonly (string | number)[];

/** As JSON.parse meets them: names and strings, with what is above them. */
function stringsOf(value: unknown, path: Path = []): { value: string; path: Path; name: boolean }[] {
  if (typeof value === "string") return [{ value, path, name: false }];
  if (Array.isArray(value)) return value.flatMap((item, index) => stringsOf(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    { value: name, path: [...path, name], name: true },
    ...stringsOf(member, [...path, name]),
  ]);
}

test("every string of a JSON text is found, with what it says and the way that leads to it", () => {
  fc.assert(
    fc.property(written, (text) => {
      const found = [...jsonStrings(text)];
      for (const { from, to, value } of found) expect(JSON.parse(text.slice(from, to))).toBe(value);
      const shape = (strings: { value: string; path: Path; name: boolean }[]) =>
        strings.map(({ value, path, name }) => ({ value, path, name }));
      expect(shape(found)).toEqual(shape(stringsOf(JSON.parse(text))));
    }),
  );
});

test("with each string put in its own place the text is as it was; with others, the rest of it is", () => {
  fc.assert(
    fc.property(written, fc.string({ unit: "binary" }), (text, other) => {
      const found = [...jsonStrings(text)].filter(({ name }) => !name);
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

test("numbers, spaces and two members of one name stay as they were written", () => {
  const text = '{"a": 1.50, "a": "x", "b" : [1e3, "x\\u0041"]}';
  const replaced = [...jsonStrings(text)].filter(({ name }) => !name).map((string) => ({ ...string, value: "y" }));
  expect(withJsonStrings(text, replaced)).toBe('{"a": 1.50, "a": "y", "b" : [1e3, "y"]}');
});

test("a string of a megabyte of backslashes is read in time that grows with its length alone", () => {
  const value = '\\"'.repeat(500_000);
  expect([...jsonStrings(JSON.stringify([value, "end"]))].map((string) => string.value)).toEqual([value, "end"]);
});
