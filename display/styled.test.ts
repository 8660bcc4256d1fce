// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { wrappedText } from "./styled.ts";

test.each([
  [
    "behind a word longer than a row the text goes on in its last row",
    "see aaaaaaaaaaaaaa bb cc",
    "see\n  aaaaaaaaaaaaaa bb\n  cc",
  ],
  ["a word longer than a row ends the text, without an empty row", "see aaaaaaaaaaaaaa", "see\n  aaaaaaaaaaaaaa"],
  ["spaces at the end stay", "one two three  ", "one two\n  three  "],
])("%s", (_what, text, wrapped) => {
  expect(wrappedText(text, 10, 2)).toBe(wrapped);
});
