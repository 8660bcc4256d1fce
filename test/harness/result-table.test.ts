// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { tableOf, wordsOf } from "./result-table.ts";

const rows = { text: "text", unseen: "of no test", close: "closed, nothing left" };

test("the table has the rows in their order, whatever the order of the tests, and its columns are sorted", () => {
  const table = tableOf(
    [
      { column: "gemini", row: "close", words: "yes" },
      { column: "codex", row: "text", words: "a|b" },
      { column: "codex", row: "close", words: "yes, 2.2 s" },
    ],
    rows,
  );
  expect(table.split("\n").map((line) => line.replaceAll(/ +|-{4,}/g, " "))).toEqual([
    "| | codex | gemini |",
    expect.stringMatching(/^\|[ |-]+\|$/),
    "| text | a\\|b | |",
    "| closed, nothing left | yes, 2.2 s | yes |",
    "",
  ]);
  expect(tableOf([], rows)).toBe("");
});

test.each([
  [{ seen: "yes" }, "passed", "yes"],
  [{}, "failed", "**failed**"],
  [{ failing: "no models" }, "passed", "fails as expected: no models"],
  [{ failing: "no models", seen: "yes" }, "failed", "**works now**, was expected to fail: no models"],
])("a cell %j of a test that has %s says %s", (told, state, words) => {
  expect(wordsOf(told, state)).toBe(words);
});
