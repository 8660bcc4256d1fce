// SPDX-License-Identifier: MIT OR Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalNumber } from "./canonical-number.ts";
import { numberOf, parseJson, RawJson, stringifyJson, withDoubles } from "./raw-json.ts";
import { numberText, valueText } from "./testing/json-texts.ts";

test("every JSON text without repeated names is written back unchanged, except for its spaces", () => {
  fc.assert(
    fc.property(valueText, fc.constantFrom("", " ", "\t\r\n "), (parts, space) => {
      expect(stringifyJson(parseJson(parts.join(space)))).toBe(parts.join(""));
    }),
    { numRuns: 2_000 },
  );
});

test.for([
  "1193820475610234881",
  "-1193820475610234881",
  "1e400",
  "-0",
  "0.0",
  "1.10",
  "1E5",
  "1e-400",
  "0.1000000000000000055511151231257827",
  `1${"0".repeat(10_000)}`,
])("%s stays as it is written", (text) => {
  expect(parseJson(text)).toEqual(new RawJson(text));
  expect(stringifyJson(parseJson(`{"a":[${text}]}`))).toBe(`{"a":[${text}]}`);
});

test.for(["0", "7", "-7", "0.5", "123456789012345", "9007199254740991", "1e+21", "1.5e-7"])(
  "%s becomes a JavaScript number",
  (text) => {
    expect(parseJson(text)).toBe(Number(text));
  },
);

test("parseJson refuses what JSON.parse refuses", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from('01-.eE+"[]{},: a\\')) }), (text) => {
      const outcome = (parse: (text: string) => unknown): string => {
        try {
          return `took ${JSON.stringify(numberOf(parse(text)))}`;
        } catch (error) {
          return String(error);
        }
      };
      fc.pre(!/\d/.test(text) || outcome(JSON.parse).startsWith("SyntaxError"));
      expect(outcome(parseJson)).toBe(outcome(JSON.parse));
    }),
  );
});

test("digits in strings and names stay unchanged, and __proto__ is a member like any other", () => {
  const text = String.raw`{"1.0":"1.0","a\"1.0":"\\","__proto__":1.0,"b":["-0 \"",-0]}`;
  expect(stringifyJson(parseJson(text))).toBe(text);
  expect(Object.getPrototypeOf(parseJson(text))).toBe(Object.prototype);
});

test("the last member of a repeated name counts", () => {
  expect(stringifyJson(parseJson('{"a":1.0,"b":2,"a":1193820475610234881}'))).toBe('{"a":1193820475610234881,"b":2}');
});

test("a text as deep as JSON.parse accepts is parsed", () => {
  const levels = 100_000;
  let value = parseJson(`${"[".repeat(levels)}1.0${"]".repeat(levels)}`);
  for (let level = 0; level < levels; level += 1) value = (value as unknown[])[0];
  expect(value).toEqual(new RawJson("1.0"));
});

test("JSON.stringify alone loses no digit, and does not affect the next text", () => {
  expect(JSON.stringify({ id: parseJson("1193820475610234881") })).toBe('{"id":"1193820475610234881"}');
  const failing = {
    toJSON: () => {
      throw new Error("fails");
    },
  };
  expect(() => stringifyJson([new RawJson("1.0"), failing])).toThrow("fails");
  expect(JSON.stringify(new RawJson("1.0"))).toBe('"1.0"');
});

test("a value that is kept as its source text is written as it was, at any depth", () => {
  const raw = new RawJson('{ "b" : [1.0,"$1 \\u0041"],"b":1e400 }');
  expect(stringifyJson(raw)).toBe(raw.text);
  const written = stringifyJson({ a: [raw, 1], n: parseJson("-0"), z: raw });
  expect(written).toBe(`{"a":[${raw.text},1],"n":-0,"z":${raw.text}}`);
});

test("indented JSON has its numbers as written too", () => {
  expect(stringifyJson(parseJson('{"a":[1.0]}'), 1)).toBe('{\n "a": [\n  1.0\n ]\n}');
});

test("a RawJson is compared and shown as its number", () => {
  const id = parseJson("1193820475610234881") as number;
  expect(`${id}`).toBe("1193820475610234881");
  expect(id > 5).toBe(true);
  expect(numberOf(parseJson("1.0"))).toBe(1);
  expect(numberOf("1.0")).toBe("1.0");
});

test("withDoubles converts an object's own numbers, and leaves deeper ones as written", () => {
  const args = withDoubles(parseJson('{"limit":1e2,"content":{"id":1193820475610234881}}'));
  expect(args).toEqual({ limit: 100, content: { id: new RawJson("1193820475610234881") } });
});

test("all spellings of a number have one canonical text, and different numbers differ", () => {
  const same = (...texts: string[]): unknown =>
    new Set(texts.map((text) => canonicalNumber(parseJson(text) as number))).size;
  expect(same("1", "1.0", "10e-1", "0.01e2")).toBe(1);
  expect(same("0", "-0", "0.00", "0e7")).toBe(1);
  expect(same("1193820475610234881", "1193820475610234881.0", "11938204756102348810e-1")).toBe(1);
  expect(same("1193820475610234881", "1193820475610234880", "1e400", "2e400", "-1e400")).toBe(5);
  expect(canonicalNumber(parseJson(`1e${"9".repeat(40)}`) as number)).toBe(`1e${"9".repeat(40)}`);
});

test("the canonical text does not depend on how its double is printed", () => {
  fc.assert(
    fc.property(numberText, (text) => {
      const read = parseJson(text) as number;
      expect(Number(canonicalNumber(read)) === Number(text)).toBe(true);
    }),
  );
});
