// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonBytes, boundFields, measureFields } from "./bounded-fields.ts";

test("a value that fits is returned as the same object", () => {
  const value = { id: "t", content: ["é".repeat(40)] };
  const whole = boundFields(measureFields(value, ["content"]), jsonBytes(value));
  expect(whole).toEqual({ value, bytes: jsonBytes(value), omitted: [] });
  expect(whole.value).toBe(value);
});

test("the longest members are left out first, and no more than needed", () => {
  const value = { id: "t", title: "x".repeat(50), content: "y".repeat(500), input: "z".repeat(300) };
  const measured = measureFields(value, ["title", "content", "input"]);
  expect(boundFields(measured, 500)).toMatchObject({
    value: { id: "t", title: value.title, input: value.input },
    omitted: ["content"],
  });
  expect(boundFields(measured, 100).omitted).toEqual(["content", "input"]);
  expect(boundFields(measured, 1).value).toEqual({ id: "t" });
});

test("the result fits or has no droppable member left, and the rest is unchanged", () => {
  const text = fc.string({ unit: "binary", maxLength: 60 });
  fc.assert(
    fc.property(
      fc.record({ id: text, a: text, b: fc.array(text, { maxLength: 5 }), c: fc.option(text) }),
      fc.nat(400),
      (value, max) => {
        const { value: fitted, bytes, omitted } = boundFields(measureFields(value, ["a", "b", "c"]), max);
        const all = omitted.length === 3;
        return (
          (bytes <= max || all) &&
          jsonBytes(fitted) <= bytes &&
          Object.keys(value).every((name) => name in fitted !== omitted.includes(name)) &&
          fitted.id === value.id
        );
      },
    ),
  );
});
