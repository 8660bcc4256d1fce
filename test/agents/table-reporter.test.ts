// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { tableOf, wordsOf } from "./table-reporter.ts";

test("the table has the rows in their order, whatever the order of the tests, and a column for each agent", () => {
  const table = tableOf([
    { agent: "gemini", row: "close", words: "yes" },
    { agent: "codex", row: "text", words: "a|b" },
    { agent: "codex", row: "close", words: "yes, 2.2 s" },
  ]);
  expect(table.split("\n").map((line) => line.replaceAll(/ +|-{4,}/g, " "))).toEqual([
    "| | codex | gemini |",
    expect.stringMatching(/^\|[ |-]+\|$/),
    "| text | a\\|b | |",
    "| closed, nothing left | yes, 2.2 s | yes |",
    "",
  ]);
  expect(tableOf([])).toBe("");
});

test.each([
  [{ seen: "yes" }, "passed", "yes"],
  [{}, "failed", "**failed**"],
  [{ failing: "no models" }, "passed", "fails as expected: no models"],
  [{ failing: "no models", seen: "yes" }, "failed", "**works now**, was expected to fail: no models"],
])("a cell %j of a test that has %s says %s", (told, state, words) => {
  expect(wordsOf({ agent: "codex", row: "text", ...told }, state)).toBe(words);
});
