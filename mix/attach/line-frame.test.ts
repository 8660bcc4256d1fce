// SPDX-License-Identifier: MIT OR Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";
import { plain, rendered } from "../../display/styled.ts";
import { displayWidth } from "../../display/width.ts";
import { terminalControlsIn } from "../../display/testing/hostile-text.ts";
import { type Draft, draftOf } from "./draft.ts";
import { frameOf, type FrameParts } from "./line-frame.ts";

function frame(draft: Draft, columns = 20, rest: Partial<FrameParts> = {}) {
  const parts = { prompt: "> ", draft, notes: [], candidates: [], ...rest };
  const { rows, row, column } = frameOf(parts, { columns, rows: 24 }, plain);
  return { rows: rows.map(({ text }) => rendered(text)), row, column };
}

test.each<[string, Draft, object]>([
  ["an empty line is its prompt", draftOf(""), { rows: ["> "], row: 0, column: 2 }],
  ["a line that fits takes one row", { text: "hello", cursor: 2 }, { rows: ["> hello"], row: 0, column: 4 }],
  [
    "a longer one continues below its beginning",
    draftOf("0123456789abcdefghij"),
    { rows: ["> 0123456789abcdefg", "  hij"], row: 1, column: 5 },
  ],
  [
    "a wide character is not cut in half",
    draftOf("日本語日本語日本語"),
    { rows: ["> 日本語日本語日本", "  語"], row: 1, column: 4 },
  ],
  [
    "a combining mark stays with its letter at the end of a row",
    { text: "0123456789abcdefe\u0301x", cursor: 0 },
    { rows: ["> 0123456789abcdefe\u0301", "  x"], row: 0, column: 2 },
  ],
  [
    "the cursor right of a full row is in the next one",
    draftOf("0123456789abcdefg"),
    { rows: ["> 0123456789abcdefg", "  "], row: 1, column: 2 },
  ],
  ["lines stand below each other", { text: "a\nb\n", cursor: 1 }, { rows: ["> a", "  b", "  "], row: 0, column: 3 }],
  ["what is no character of a line is visible", draftOf("a\u001bb"), { rows: ["> a\\x1bb"], row: 0, column: 8 }],
])("%s", (_what, draft, seen) => {
  expect(frame(draft)).toEqual(seen);
});

test("of 300 lines, the rows around the cursor are shown, and how many are not", () => {
  const text = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`).join("\n");
  expect(frame(draftOf(text), 40)).toEqual({
    rows: [
      "  … 292 lines above",
      "> line 293",
      ...[294, 295, 296, 297, 298, 299, 300].map((number) => `  line ${number}`),
    ],
    row: 8,
    column: 10,
  });
  const top = frame({ text, cursor: 0 }, 40);
  expect([top.rows[0], top.rows.at(-1), top.row]).toEqual(["> line 1", "  … 292 lines below", 0]);
});

test("notes stand above and candidates below, cut to the row", () => {
  const notes = ["  queued: a prompt that is longer than a row"];
  expect(frame(draftOf("/w"), 20, { notes, candidates: ["  /write  Write a file"] })).toEqual({
    rows: ["  queued: a prompt…", "> /w", "  /write  Write a …"],
    row: 1,
    column: 4,
  });
});

test("of a prompt that is longer than the row, the end is shown", () => {
  expect(frame(draftOf("y"), 20, { prompt: "allow execute npm run build? [y/n/1–2] " }).rows).toEqual(["…[y/n/1–2] y"]);
});

test("every frame fits its screen, whatever the text, and has the cursor in one of its rows", () => {
  const text = fc.array(fc.constantFrom("a", "\n", "日", "e\u0301", "\u001b[2J", "👩‍🚀", "می\u200cخ", "xyz ".repeat(9)), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(text, fc.nat(), fc.integer({ min: 12, max: 90 }), (parts, place, columns) => {
      const whole = parts.join("");
      const seen = frame({ text: whole, cursor: place % (whole.length + 1) }, columns);
      expect(seen.rows.length).toBeLessThanOrEqual(10);
      expect(seen.row).toBeLessThan(seen.rows.length);
      for (const row of seen.rows) {
        expect(displayWidth(row)).toBeLessThan(columns);
        expect(terminalControlsIn(row)).toEqual([]);
      }
    }),
  );
});

test("a megabyte is laid out in no time, in one line or in many", () => {
  for (const text of ["x".repeat(1_000_000), "word \n".repeat(170_000)]) {
    const began = performance.now();
    for (const cursor of [0, 500_000, text.length]) frame({ text, cursor }, 120);
    expect(performance.now() - began).toBeLessThan(1_000);
  }
});
