// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { canShowNumbers, findOption } from "./chosen-option.ts";

test.each([
  [["yes", "no"], "2", "no"],
  [["yes", "no"], "no", "no"],
  [["yes", "no"], "3", undefined],
  [["yes", "no"], "0", undefined],
  [["yes", "no"], "01", undefined],
  [["yes", "no"], "maybe", undefined],
  [["1", "2"], "2", "2"],
  [["no", "404"], "2", "404"],
])("of %j the word %s means %s", (ids, word, option) => {
  expect(canShowNumbers(optionsOf(ids))).toBe(true);
  expect(findOption(optionsOf(ids), word)).toBe(option);
});

test("if an id equals another option's number, the id finds its option and numbers find nothing", () => {
  const options = optionsOf(["no", "always", "1"]);
  expect(canShowNumbers(options)).toBe(false);
  expect(["1", "2", "3", "always"].map((word) => findOption(options, word))).toEqual([
    "1",
    undefined,
    undefined,
    "always",
  ]);
});

function optionsOf(ids: readonly string[]) {
  return ids.map((option) => ({ option }));
}
