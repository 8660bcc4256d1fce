// SPDX-License-Identifier: MIT OR Apache-2.0
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { commandWords } from "./command-words.ts";

test.each([
  [String.raw`a "b \"c\" d"`, ["a", 'b "c" d']],
  [String.raw`a\ b c\"d \\`, ["a b", 'c"d', "\\"]],
  [String.raw`"\n" '\n' "\\n" "\$x"`, [String.raw`\n`, String.raw`\n`, String.raw`\n`, "$x"]],
  [String.raw`'a"b' "c'd" x"y"'z' it\'s`, ['a"b', "c'd", "xyz", "it's"]],
  [`a '' ""`, ["a", "", ""]],
  ['a\\\nb "c\\\nd"', ["ab", "cd"]],
  ["  ", []],
])("%s is split as sh splits it", (line, words) => {
  expect(commandWords(line)).toEqual(words);
  const bySh = execFileSync("sh", ["-c", String.raw`for word in ${line}; do printf '%s\0' "$word"; done`]);
  expect(bySh.toString().split("\0").slice(0, -1)).toEqual(words);
});

test("nothing is expanded", () => {
  expect(commandWords("a $HOME ~ *.ts | b")).toEqual(["a", "$HOME", "~", "*.ts", "|", "b"]);
});

test.each([
  ['a "b', "a quote is not closed"],
  [String.raw`a "b\"`, "a quote is not closed"],
  ["a 'b", "a quote is not closed"],
  ["a b\\", "the command ends with a backslash"],
])("%s is refused", (line, message) => {
  expect(() => commandWords(line)).toThrow(message);
});
