// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { RawJson } from "../../json/raw-json.ts";
import { readForm, withDefaults } from "./form.ts";
import { faultOf, matchesWithin } from "./form-content.ts";

const matches = matchesWithin(1_000);

/** The fault of one field's value; undefined where it is taken. */
function fault(property: unknown, value: unknown): string | undefined {
  return faultOf(readForm({ type: "object", properties: { f: property } }), { f: value }, matches)?.reason;
}

test.each<[object, unknown[], unknown[]]>([
  [{ type: "string" }, ["", "a", "é".repeat(1_000)], [1, true, null, ["a"]]],
  [{ type: "string", minLength: 2, maxLength: 3 }, ["ab", "👩👩👩"], ["a", "abcd"]],
  [{ type: "string", enum: ["a", "b"] }, ["a", "b"], ["c", "A", "a "]],
  [{ type: "string", oneOf: [{ const: "a", title: "The first" }] }, ["a"], ["The first", "b"]],
  [{ type: "string", pattern: "^[a-z]+$" }, ["abc"], ["ABC", "a b"]],
  [{ type: "string", pattern: "b" }, ["abc"], ["ac"]],
  [{ type: "string", pattern: "a\\-b" }, ["a-b"], ["ab"]],
  [{ type: "string", format: "email" }, ["a@b", "ä@example.org"], ["a", "a@b@c", "a b@c"]],
  [{ type: "string", format: "uri" }, ["https://a.example", "mailto:a@b"], ["a", "//a"]],
  [{ type: "string", format: "date" }, ["2024-02-29"], ["2023-02-29", "2024-2-1", "2024-01-01T00:00:00Z"]],
  [
    { type: "string", format: "date-time" },
    ["2024-02-29T12:00:00Z", "2024-01-01t00:00:00.5+02:00"],
    ["2024-01-01", "2023-02-29T00:00:00Z"],
  ],
  [{ type: "string", format: "constructor" }, ["anything"], []],
  [{ type: "string", title: null, minLength: null, pattern: null, enum: null, default: null }, ["x"], [1]],
  [{ type: "number", minimum: 0.5, maximum: 2 }, [0.5, 2, 1], [0, 3, "1"]],
  [{ type: "integer", minimum: 1 }, [1, 1.0, 9_007_199_254_740_991], [0, 1.5, 2 ** 60, "1"]],
  [{ type: "boolean" }, [true, false], ["true", 0, 1]],
  [{ type: "number", exclusiveMinimum: 1, exclusiveMaximum: 2 }, [1.5], [1, 2]],
  [{ type: "integer", exclusiveMinimum: 0, maximum: 2 }, [1, 2], [0, 3]],
  [{ type: "integer", multipleOf: 5 }, [0, -5, 10], [1, 9_007_199_254_740_991]],
  [{ type: "number", multipleOf: 0.1 }, [0.3, 0.7, 2, -1.1], [0.35, 0.05]],
  [{ type: "string", const: "yes" }, ["yes"], ["no", ""]],
  [{ type: "boolean", const: true }, [true], [false]],
  [{ type: "integer", enum: [1, 2] }, [1, 2], [3]],
  [{ type: "string", enum: ["a", "b"], oneOf: [{ const: "b" }, { const: "c" }] }, ["b"], ["a", "c"]],
  [{ type: "string", anyOf: [{ const: "a", title: "A" }] }, ["a"], ["b"]],
  [{ type: "string" }, ["😀"], ["a\ud83d", "\ude00"]],
  [{ type: "array", items: { enum: ["a", "\ud83d"] } }, [["a"]], [["\ud83d"]]],
  [
    { type: "array", items: { type: "string", enum: ["a", "b"] }, minItems: 1, maxItems: 1 },
    [["a"]],
    [[], ["a", "b"], ["c"], "a"],
  ],
  [
    {
      type: "array",
      items: {
        anyOf: [
          { const: "a", title: "A" },
          { const: "b", title: "B" },
        ],
      },
    },
    [[], ["a", "b"]],
    [["a", "a"], ["A"]],
  ],
])("a field %j takes and refuses what it says", (property, good, bad) => {
  expect(good.map((value) => fault(property, value))).toEqual(good.map(() => undefined));
  expect(bad.filter((value) => fault(property, value) === undefined)).toEqual([]);
});

test.each([
  { type: "object" },
  { type: "string", minLength: "2" },
  { type: "string", enum: "a" },
  { type: "string", enum: [1] },
  { type: "string", oneOf: [{ title: "no value" }] },
  { type: "string", pattern: 5 },
  { type: "number", maximum: "9" },
  { type: "array" },
  { type: "array", items: { type: "number" } },
  { type: "array", items: { type: "integer", enum: ["1", "2"] } },
  { type: "array", items: { type: "string", enum: ["ab"], maxLength: 1 } },
  { type: "array", items: { enum: ["a"] }, contains: { const: "a" } },
  { type: "number", exclusiveMinimum: true, minimum: 1 },
  { type: "number", multipleOf: 0 },
  { type: "integer", multipleOf: "2" },
  { type: "string", const: 5 },
  { type: "integer", enum: ["1"] },
  { type: "string", not: { const: "x" } },
  { type: "string", allOf: [{ minLength: 2 }] },
  {},
  "string",
  null,
])(
  "a field %j is not understood: it can be left out and not filled in, and a form that requires it not be accepted",
  (property) => {
    const schema = { properties: { f: property, g: { type: "boolean" } } };
    expect(faultOf(readForm(schema), { g: true }, matches)).toBeUndefined();
    expect(faultOf(readForm(schema), { f: "x" }, matches)?.reason).toContain("declined or cancelled");
    expect(faultOf(readForm({ ...schema, required: ["f"] }), {}, matches)?.reason).toContain("declined or cancelled");
  },
);

test("what is required must be there, and what is no field is refused by its name", () => {
  const form = readForm({ properties: { a: { type: "string" }, b: { type: "string" } }, required: ["b"] });
  expect(faultOf(form, { a: "x" }, matches)).toEqual({ field: "b", reason: "must be filled in" });
  expect(faultOf(form, { b: "x", c: "y" }, matches)).toMatchObject({
    field: "c",
    reason: expect.stringContaining("a, b"),
  });
  expect(faultOf(readForm({ required: ["gone"] }), {}, matches)).toMatchObject({ field: "gone" });
  expect(faultOf(readForm({}), {}, matches)).toBeUndefined();
});

test("a name that means something to the language is a field's name like another", () => {
  const schema = JSON.parse(
    '{"properties":{"__proto__":{"type":"string"}},"required":["__proto__","toString"]}',
  ) as object;
  const form = readForm({ ...schema });
  const content = JSON.parse('{"__proto__":"x"}') as Record<string, unknown>;
  expect(faultOf(form, {}, matches)).toMatchObject({ field: "__proto__", reason: "must be filled in" });
  expect(faultOf(form, content, matches)).toMatchObject({ field: "toString" });
  expect(JSON.stringify(withDefaults(form, content))).toBe('{"__proto__":"x"}');
});

test("a form with a rule over its fields that is not understood, or a name with half a character, is not accepted", () => {
  const properties = { a: { type: "string" } };
  const either = readForm({ properties, anyOf: [{ required: ["a"] }] });
  for (const content of [{}, { a: "x" }]) expect(faultOf(either, content, matches)?.reason).toContain("declined");
  const broken = readForm({ properties: { "\ud800": { type: "string" } } });
  expect(faultOf(broken, { "\ud800": "x" }, matches)?.reason).toContain("declined");
});

test.each([
  [{ type: "string", minLength: 1 }, "", "must have at least 1 character"],
  [{ type: "string", maxLength: 2 }, "abc", "must have at most 2 characters"],
  [{ type: "string", format: "email" }, "x", "must be an email address"],
  [{ type: "integer", minimum: 3 }, 2, "must be at least 3"],
  [{ type: "array", minItems: 2, items: { type: "string", enum: ["a", "b"] } }, ["a"], "must have at least 2 of them"],
  [{ type: "array", items: { enum: ["a", "b"] } }, ["a", "a"], "must not have one twice"],
  [{ type: "array", items: { enum: ["a", "b"] } }, ["c"], "must be some of a, b"],
  [{ type: "array", items: { enum: ["a", "b"] } }, "a", "must be a list of texts"],
  [{ type: "integer" }, 1.5, "must be a whole number"],
  [{ type: "integer" }, 2 ** 60, "must be at most 9007199254740991"],
  [{ type: "number", exclusiveMinimum: 0 }, 0, "must be more than 0"],
  [{ type: "number", minimum: new RawJson("1e400") }, 5, `must be at least ${Number.MAX_VALUE}`],
  [{ type: "integer", multipleOf: 5 }, 9_007_199_254_740_991, "must be a multiple of 5"],
  [{ type: "number", multipleOf: 0.5 }, 0.7, "must be a multiple of 0.5"],
  [{ type: "boolean" }, "yes", "must be true or false"],
  [{ type: "number", enum: [1, 2.5] }, 2, "must be one of 1, 2.5"],
  [{ type: "string", format: "date" }, "2023-02-29", "must be a date such as 2026-01-31"],
  [{ type: "string", format: "date-time" }, "noon", "must be a time such as 2026-01-31T12:00:00Z"],
  [{ type: "string", format: "uri" }, " https://a.example ", "must be a URI"],
  [{ type: "string", minLength: 1 }, "\ud83d", "has half a character in it, which cannot be sent to the agent"],
])("a field %j that is filled in with %j %s", (property, value, reason) => {
  expect(faultOf(readForm({ properties: { f: property } }), { f: value }, matches)).toEqual({ field: "f", reason });
});

test("what is left out is filled in with its default, which is held to the form too", () => {
  const form = readForm({
    properties: {
      a: { type: "integer", default: 3 },
      b: { type: "string", default: 5 },
      c: { type: "boolean", default: false },
    },
    required: ["a"],
  });
  expect(withDefaults(form, { c: true })).toEqual({ a: 3, c: true });
  expect(faultOf(form, {}, matches)).toBeUndefined();
  const wrong = readForm({ properties: { a: { type: "integer", default: 3, maximum: 2 } } });
  expect(faultOf(wrong, {}, matches)).toMatchObject({ field: "a" });
  expect(faultOf(wrong, { a: 2 }, matches)).toBeUndefined();
});

test("a number is held to the form by its double, and goes on as it was written", () => {
  const id = new RawJson("1193820475610234881");
  const form = readForm({ properties: { id: { type: "number", minimum: 1, default: id }, n: { type: "number" } } });
  const content = { n: new RawJson("1.10") };
  expect(faultOf(form, content, matches)).toBeUndefined();
  expect(withDefaults(form, content)).toEqual({ id, n: content.n });
  const chosen = { type: "number", enum: [new RawJson("1.10")] };
  expect([fault(chosen, new RawJson("1.1e0")), fault(chosen, new RawJson("1e400"))]).toEqual([
    undefined,
    "must be a number",
  ]);
});

test("a long list of choices is held against a long answer in a moment", () => {
  const choices = Array.from({ length: 20_000 }, (_, index) => `choice ${index}`);
  const field = { type: "array", items: { oneOf: choices.map((value) => ({ const: value, title: value })) } };
  const began = performance.now();
  expect(fault(field, choices)).toBeUndefined();
  expect(fault(field, [...choices, ...choices])).toBe("must not have one twice");
  expect(performance.now() - began).toBeLessThan(2_000);
});

test("a pattern that would run for years is ended, and so are many of them together", () => {
  const began = performance.now();
  const slow = matchesWithin(100);
  const answers = Array.from({ length: 1_000 }, () => slow("^(a+)+$", `${"a".repeat(50)}b`));
  expect(new Set(answers)).toEqual(new Set([undefined]));
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(matches("(", "x")).toBeUndefined();
  expect(matches("a".repeat(2_000), "a")).toBeUndefined();
});

test("no pattern and no text reaches more than the expression", () => {
  expect(matches('"); globalThis.process.exit(1); ("', "x")).toBeUndefined();
  expect(matches("x", '"; throw 1; "')).toBe(false);
});

test("whatever stands in a form, reading it and holding content against it never throws", () => {
  const bound = fc.oneof(fc.integer({ min: -2, max: 5 }), fc.constant(null), fc.string());
  const property = fc.record(
    {
      type: fc.constantFrom<unknown>("string", "number", "integer", "boolean", "array", "object", null, 5),
      minLength: bound,
      maximum: bound,
      minItems: bound,
      pattern: fc.oneof(fc.string(), fc.integer()),
      format: fc.constantFrom("email", "uri", "date", "date-time", "__proto__", 1),
      enum: fc.oneof(fc.array(fc.anything()), fc.anything()),
      oneOf: fc.anything(),
      items: fc.anything(),
      default: fc.anything(),
    },
    { requiredKeys: [] },
  );
  const schema = fc.record({ properties: fc.dictionary(fc.string(), property), required: fc.anything() });
  const content = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string())));
  fc.assert(
    fc.property(schema, content, (asked, written) => {
      const form = readForm(asked);
      if (faultOf(form, written, () => true)) return;
      const filled = withDefaults(form, written);
      for (const name of Object.keys(filled)) expect(form.fields.has(name)).toBe(true);
      for (const name of form.required) expect(Object.hasOwn(filled, name)).toBe(true);
    }),
  );
});

test.each([
  { $ref: "#/$defs/x", $defs: { x: { type: "object", required: ["a"] } } },
  { properties: {}, allOf: [{ required: ["a"] }] },
  { properties: {}, minProperties: 1 },
  { properties: { a: { type: "string" } }, not: { required: ["a"] } },
])("a form with a rule over all of it that is not read is not accepted, with fields or without: %j", (schema) => {
  const form = readForm({ type: "object", ...schema });
  expect(faultOf(form, {}, matches)?.reason).toContain("can only be declined or cancelled");
});
