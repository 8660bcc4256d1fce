// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines, renderDiff, selectChanges } from "./diff.ts";
import { plain, rendered } from "../../display/styled.ts";

const text = fc
  .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
  .map((lines) => lines.map((line) => `${line}\n`).join(""));
const side = (lines: ReturnType<typeof diffLines>, mark: "-" | "+"): string =>
  lines
    .filter((line) => line.mark === " " || line.mark === mark)
    .map((line) => `${line.text}\n`)
    .join("");

test("kept and removed lines make the old text, kept and added lines the new one", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      expect(side(lines, "-")).toBe(before);
      expect(side(lines, "+")).toBe(after);
    }),
  );
});

test("a changed line is shown with its neighbours, and distant lines are left out", () => {
  const before = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");
  const { lines } = renderDiff(before, before.replace("line 10", "LINE 10"), {
    style: plain,
    columns: 0,
    linesMax: 50,
  });
  expect(lines.map(rendered)).toEqual(["  line 8", "  line 9", "- line 10", "+ LINE 10", "  line 11", "  line 12"]);
});

test("a new file is shown as added lines, cut at the limit", () => {
  const cut = renderDiff("", "1\n2\n3\n4\n", { style: plain, columns: 0, linesMax: 2 });
  expect(cut.lines.map(rendered)).toEqual(["+ 1", "+ 2", "… 2 more lines"]);
  expect(cut.isCut).toBe(true);
});

test("a line wider than the screen is wrapped in full, and an escape in it is visible", () => {
  const wide = renderDiff("", `\u001b[31m${"x".repeat(20)} and rm`, { style: plain, columns: 20, linesMax: 5 });
  expect(wide.lines.map(rendered)).toEqual(["+ \\x1b[31mxxxxxxxxxx", "+↳xxxxxxxxxx and rm"]);
  expect(wide.isCut).toBe(false);
  const { lines } = renderDiff("", "日本語日本", { style: plain, columns: 10, linesMax: 5 });
  expect(lines.map(rendered)).toEqual(["+ 日本語日", "+↳本"]);
});

test("a very long line is cut and says how many characters are left out", () => {
  const { lines, isCut } = renderDiff("", "x".repeat(1000), { style: plain, columns: 42, linesMax: 5 });
  expect([lines.length, rendered(lines.at(-1) ?? ""), isCut]).toEqual([13, "+↳… 520 more characters", true]);
});

test("two changes far apart have an ellipsis between them", () => {
  const before = Array.from({ length: 30 }, (_, index) => `${index}`).join("\n");
  const after = before.replace(/^3$/m, "three").replace(/^20$/m, "twenty");
  expect(selectChanges(diffLines(before, after), 99).filter(({ mark }) => mark === "…")).toHaveLength(1);
});

test("texts of 20 000 lines each are compared without a table of 20 000 by 20 000 cells", () => {
  const many = (word: string): string => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`).join("\n");
  expect(diffLines(many("old"), many("new"))).toHaveLength(40_000);
});
