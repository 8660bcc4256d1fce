// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, fit, measure } from "./fit.ts";

test("what fits is left as it is, the very same value", () => {
  const value = { id: "t", content: ["é".repeat(40)] };
  const whole = fit(measure(value, ["content"]), bytesOf(value));
  expect(whole).toEqual({ ...measure(value, ["content"]), leftOut: [] });
  expect(whole.value).toBe(value);
});

test("the longest goes first, and no more than must", () => {
  const value = { id: "t", title: "x".repeat(50), content: "y".repeat(500), input: "z".repeat(300) };
  const measured = measure(value, ["title", "content", "input"]);
  expect(fit(measured, 500)).toMatchObject({
    value: { id: "t", title: value.title, input: value.input },
    leftOut: ["content"],
  });
  expect(fit(measured, 100).leftOut).toEqual(["content", "input"]);
  expect(fit(measured, 1).value).toEqual({ id: "t" });
});

test("it fits, or nothing is left that may go; the rest is as it was", () => {
  const text = fc.string({ unit: "binary", maxLength: 60 });
  fc.assert(
    fc.property(
      fc.record({ id: text, a: text, b: fc.array(text, { maxLength: 5 }), c: fc.option(text) }),
      fc.nat(400),
      (value, max) => {
        const { value: fitted, bytes, leftOut } = fit(measure(value, ["a", "b", "c"]), max);
        const all = leftOut.length === 3;
        return (
          (bytes <= max || all) &&
          bytesOf(fitted) <= bytes &&
          Object.keys(value).every((name) => name in fitted !== leftOut.includes(name)) &&
          fitted.id === value.id
        );
      },
    ),
  );
});
