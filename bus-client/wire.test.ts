// SPDX-License-Identifier: MIT OR Apache-2.0

import { array, assert, constantFrom, pre, property, string, tuple } from "fast-check";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BusError } from "./bus-error.ts";
import { parse, parseStrict, serialise, serialiseParsed } from "./wire.ts";

interface Vector {
  id: string;
  kind: "parse" | "serialise" | "serialise-refuse" | "parse-generated";
  input?: string;
  headers?: Record<string, string>;
  body?: string;
  wire?: string;
  expect?: {
    headers?: Record<string, string>;
    header_count?: number;
    body?: string;
    skipped?: [number, string][];
    json_errors?: [string, string][];
    strict?: "ok" | "NonCompliant";
    error?: string;
    head?: string;
  };
}

const file = new URL("../test/data/bus-vectors.json", import.meta.url);
const { vectors, count } = JSON.parse(readFileSync(file, "utf8")) as { vectors: Vector[]; count: number };
const generated: Record<string, string> = {
  "g01-header-cap-exact": `---\n${Array.from({ length: 4096 }, (_, i) => `k${i}: v\n`).join("")}---\n`,
  "g03-cap-counts-duplicates-and-junk": `---\n${"a: 1\n".repeat(4096)}b: 2\n---\n`,
};

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof BusError ? error.code : String(error);
  }
}

test("all vectors of the contract are present", () => {
  expect(vectors.length).toBe(count);
});

const parsed = vectors.filter(({ kind }) => kind === "parse" || kind === "parse-generated");

for (const { id, input, expect: expected } of parsed.filter((vector) => vector.expect?.error === undefined)) {
  test(`vector ${id} is parsed as the contract says`, () => {
    const text = input ?? generated[id]!;
    const { headers, body, skipped, jsonErrors } = parse(text);
    // The long generated vectors give a count instead of the headers, and no body.
    expect({ headers, body, skipped, json_errors: jsonErrors }).toMatchObject({
      headers: expected!.headers ?? {},
      body: expected!.body ?? "",
      skipped: expected!.skipped,
      json_errors: expected!.json_errors ?? [],
    });
    expect(Object.keys(headers).length).toBe(expected!.header_count ?? Object.keys(expected!.headers!).length);
    expect(codeOf(() => parseStrict(text))).toBe(expected!.strict === "ok" ? undefined : "NON_COMPLIANT");
  });
}

for (const { id, input } of parsed.filter((vector) => vector.expect?.error !== undefined)) {
  test(`vector ${id} is refused for its missing fence`, () => {
    expect(codeOf(() => parse(input!))).toBe("MISSING_OPENING_FENCE");
    expect(codeOf(() => parseStrict(input!))).toBe("MISSING_OPENING_FENCE");
  });
}

for (const vector of vectors.filter(({ kind }) => kind === "serialise")) {
  test(`vector ${vector.id} is written byte for byte`, () => {
    expect(serialise({ headers: vector.headers!, body: vector.body! })).toBe(vector.wire);
  });
}

for (const vector of vectors.filter(({ kind }) => kind === "serialise-refuse")) {
  test(`vector ${vector.id} is refused by the writer`, () => {
    expect(codeOf(() => serialise({ headers: vector.headers!, body: vector.body! }))).toBe("UNSERIALISABLE");
  });
}

test("the error for a missing fence quotes the first 40 characters, escaped", () => {
  expect(() => parse("hello")).toThrow(`Bus message must start with '---\\n', got: "hello"`);
  expect(() => parse('a\n"\t\0\u007f')).toThrow(`got: "a\\n\\"\\t\\0\\u{7f}"`);
  expect(() => parse("🌍".repeat(41))).toThrow(`got: "${"🌍".repeat(40)}"`);
});

test("a header named __proto__ survives a round trip and touches no prototype", () => {
  const frame = parse("---\n__proto__: x\nconstructor: y\n---\n");
  expect(Object.keys(frame.headers)).toEqual(["__proto__", "constructor"]);
  expect(Object.getPrototypeOf(frame.headers)).toBe(Object.prototype);
  expect(serialise(frame)).toBe("---\n__proto__: x\nconstructor: y\n---\n");
});

test("JSON in a header is checked as the reference does: depth, number range and lone surrogates", () => {
  const errors = (value: string): number => parse(`---\na: ${value}\n---\n`).jsonErrors.length;
  expect(errors(`${"[".repeat(128)}${"]".repeat(128)}`)).toBe(0);
  expect(errors(`${"[".repeat(129)}${"]".repeat(129)}`)).toBe(1);
  expect(errors("[1e308, -1.5e-400, 0]")).toBe(0);
  expect(errors("[1e400]")).toBe(1);
  expect(errors(`[${"9".repeat(400)}]`)).toBe(1);
  expect(errors('["1e400"]')).toBe(0);
  expect(errors('["\\ud83c\\udf0d"]')).toBe(0);
  expect(errors('["\\ud83c"]')).toBe(1);
  expect(errors('["\\udf0d"]')).toBe(1);
  expect(errors('["\\ud83c\\\\udf0d"]')).toBe(1);
  expect(errors('["\\\\ud83c"]')).toBe(0);
});

test("the writer refuses what a parser would report: spaces in keys, carriage returns, JSON after white space, too many headers", () => {
  const refusedHeaders: Record<string, string>[] = [
    { "a ": "1" },
    { " a": "1" },
    { "a\u00a0b": "1" },
    { a: "x\ry" },
    { "a\nb": "1" },
    { a: "  {x" },
  ];
  for (const headers of refusedHeaders) {
    expect(codeOf(() => serialise({ headers }))).toBe("UNSERIALISABLE");
  }
  const many = Object.fromEntries(Array.from({ length: 4097 }, (_, i) => [`k${i}`, "v"]));
  expect(codeOf(() => serialise({ headers: many }))).toBe("UNSERIALISABLE");
});

const key = string({ unit: "binary", minLength: 1, maxLength: 12 });
const text = string({ unit: "binary", maxLength: 40 });

test("the strict parser returns whatever the writer accepts, except outer white space", () => {
  assert(
    property(array(tuple(key, text), { minLength: 1, maxLength: 8 }), text, (pairs, body) => {
      const headers = Object.fromEntries(pairs);
      const refusal = codeOf(() => serialise({ headers, body }));
      pre(refusal !== "UNSERIALISABLE");
      expect(refusal).toBeUndefined();
      const frame = parseStrict(serialise({ headers, body }));
      const trim = (value: string): string => value.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "");
      expect(frame.headers).toEqual(Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, trim(v)])));
      expect(frame.body).toBe(body.replace(/\p{White_Space}+$/u, ""));
    }),
  );
});

test("a parsed message parses the same after a broker has written it again", () => {
  assert(
    property(
      string({ unit: constantFrom("-", "\n", ":", " ", "a", "\r", "[", "\u0085", "é"), maxLength: 60 }),
      (tail) => {
        const once = parse(`---\n${tail}`);
        pre(Object.keys(once.headers).length > 0);
        const twice = parse(serialiseParsed(once.headers, once.body));
        expect(twice.headers).toEqual(once.headers);
        expect(twice.body).toBe(once.body);
      },
    ),
  );
});
