// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, fit } from "./fit.ts";

test("what fits is left as it is, the very same value", () => {
  const value = { id: "t", content: ["é".repeat(40)] };
  expect(fit(value, ["content"], bytesOf(value))).toEqual({ value, leftOut: [] });
  expect(fit(value, ["content"], bytesOf(value)).value).toBe(value);
});

test("the longest goes first, and no more than must", () => {
  const value = { id: "t", title: "x".repeat(50), content: "y".repeat(500), input: "z".repeat(300) };
  expect(fit(value, ["title", "content", "input"], 500)).toEqual({
    value: { id: "t", title: value.title, input: value.input },
    leftOut: ["content"],
  });
  expect(fit(value, ["title", "content", "input"], 100).leftOut).toEqual(["content", "input"]);
  expect(fit(value, ["title", "content", "input"], 1).value).toEqual({ id: "t" });
});

test("it fits, or nothing is left that may go; the rest is as it was", () => {
  const text = fc.string({ unit: "binary", maxLength: 60 });
  fc.assert(
    fc.property(
      fc.record({ id: text, a: text, b: fc.array(text, { maxLength: 5 }), c: fc.option(text) }),
      fc.nat(400),
      (value, max) => {
        const { value: fitted, leftOut } = fit(value, ["a", "b", "c"], max);
        const all = leftOut.length === 3;
        return (
          (bytesOf(fitted) <= max || all) &&
          Object.keys(value).every((name) => name in fitted !== leftOut.includes(name)) &&
          fitted.id === value.id
        );
      },
    ),
  );
});
