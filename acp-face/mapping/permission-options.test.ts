// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { shownOptions } from "./permission-options.ts";

test("an option's id is its kind, numbered when the kind comes again, and leads back to the agent's option", () => {
  const { options, choiceOf } = shownOptions([
    { option: "reject", name: "Always allow", kind: "allow_always" },
    { option: "a", name: "Yes", kind: "allow_once" },
    { option: "b", name: "Yes, in blue", kind: "allow_once" },
    { option: "allow", name: "No", kind: "reject_once" },
  ]);
  expect(options).toEqual([
    { optionId: "allow_always", name: "Always allow", kind: "allow_always" },
    { optionId: "allow_once", name: "Yes", kind: "allow_once" },
    { optionId: "allow_once_2", name: "Yes, in blue", kind: "allow_once" },
    { optionId: "reject_once", name: "No", kind: "reject_once" },
  ]);
  expect(options.map(({ optionId }) => choiceOf(optionId)?.option)).toEqual(["reject", "a", "b", "allow"]);
  expect(choiceOf("allow")).toBeUndefined();
});

test("an option of an unknown kind is not shown", () => {
  const { options, choiceOf } = shownOptions([
    { option: "x", name: "Perhaps", kind: "perhaps" },
    { option: "n", name: "No", kind: "reject_once" },
  ]);
  expect(options.map(({ optionId }) => optionId)).toEqual(["reject_once"]);
  expect(choiceOf("perhaps")).toBeUndefined();
});
