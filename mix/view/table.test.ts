// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { displayWidth } from "../../display/width.ts";
import { type Cut, formatFacts, formatTable } from "./table.ts";

const cells = [
  ["ID", "NAME", "CWD", "TITLE"],
  ["abcdefghijkl", "-", "/home/ann/src/a-long-project/packages/core", "Fix the failing test of the parser"],
  ["mnopqrstuvwx", "-", "/home/ann", "日本語の題名です。とても長い題名です。"],
];
const cuts: readonly Cut[] = [
  { column: 2, min: 10, keepsEnd: true },
  { column: 3, min: 8 },
  { column: 1, min: 4 },
];

test("without a width nothing is cut and no column is left out", () => {
  const lines = formatTable(cells, { columns: 0 }, cuts);
  expect(lines[0]).toMatch(/^ID +NAME +CWD +TITLE$/);
  expect(lines[1]).toContain("/home/ann/src/a-long-project/packages/core  Fix the failing test of the parser");
});

test.each([120, 80, 60, 40, 20, 10])("at %i columns every line fits, with wide characters too", (columns) => {
  const lines = formatTable(cells, { columns }, cuts);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
});

test("a column without content goes first, then columns are cut in order: a path keeps its end", () => {
  expect(formatTable(cells, { columns: 66 }, cuts)).toEqual([
    "ID            CWD           TITLE",
    "abcdefghijkl  …ckages/core  Fix the failing test of the parser",
    "mnopqrstuvwx  /home/ann     日本語の題名です。とても長い題名です。",
  ]);
});

test("a column with minimum 0 is left out where the table is too wide", () => {
  const table = [
    ["A", "B"],
    ["12345", "67890"],
  ];
  expect(formatTable(table, { columns: 12 }, [{ column: 0, min: 0 }])).toEqual(["A      B", "12345  67890"]);
  expect(formatTable(table, { columns: 11 }, [{ column: 0, min: 0 }])).toEqual(["B", "67890"]);
});

test("facts are wrapped below their beginning, and nothing of them is cut", () => {
  expect(
    formatFacts(
      [
        ["directory", "a b c"],
        ["x", "one two three four five six"],
      ],
      { columns: 31 },
    ),
  ).toEqual(["directory  a b c", "x          one two three four", "           five six"]);
  expect(formatFacts([["x", "one two"]], { columns: 0 })).toEqual(["x  one two"]);
});
