// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { kindMask, kindName, kindNumbers } from "./kinds.ts";

test("the number of a kind never changes", () => {
  expect(Object.entries(kindNumbers).map(([kind, number]) => `${number} ${kind}`)).toEqual([
    "1 command",
    "2 reply",
    "3 state",
    "4 turn",
    "5 message",
    "6 tool_call",
    "7 plan",
    "8 commands",
    "9 options",
    "10 info",
    "11 usage",
    "12 notice",
    "13 compaction",
    "14 permission",
    "15 extension",
    "16 diagnostic",
    "17 elicitation",
    "18 file",
    "19 terminal",
  ]);
});

test("a number is translated back to its kind, and an unknown number is an error", () => {
  for (const [kind, number] of Object.entries(kindNumbers)) expect(kindName(number)).toBe(kind);
  expect(() => kindName(30)).toThrow("kind 30");
});

test("every kind has a bit of its own in a mask", () => {
  const kinds = Object.keys(kindNumbers);
  expect(kindMask([...kinds, "constructor"])).toBe(kinds.reduce((sum, kind) => sum + kindMask([kind]), 0));
});
