// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { withKind } from "./subject.ts";

test.each([
  ["read", "Read notes.txt", "Read notes.txt"],
  ["read", "Readme", "read Readme"],
  ["edit", "Write notes.txt", "edit Write notes.txt"],
  ["execute", undefined, "execute"],
  [null, "Write notes.txt", "Write notes.txt"],
  [undefined, null, ""],
])("the kind %j and the title %j are %j", (kind, title, words) => {
  expect(withKind(kind, title)).toBe(words);
});
