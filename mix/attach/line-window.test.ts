// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { lineWindow } from "./line-window.ts";

test.each([
  ["a line that fits is unchanged", "hello", 2, { shown: "hello", at: 2 }],
  ["a long line shows its end if the cursor is there", "0123456789abcdef", 16, { shown: "…789abcdef", at: 10 }],
  ["and its beginning where the cursor is there", "0123456789abcdef", 0, { shown: "012345678…", at: 0 }],
  ["wide characters take two columns", "日本語日本語", 6, { shown: "…語日本語", at: 9 }],
  ["what is no character of a line is visible", "a\u001bb", 3, { shown: "a\\x1bb", at: 6 }],
])("%s", (_what, line, cursor, seen) => {
  expect(lineWindow(line, cursor, 10)).toEqual(seen);
});
