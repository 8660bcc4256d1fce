// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { completion } from "./line-completion.ts";

const described = (name: string) => ({ name, description: `does ${name}` });
const commands = {
  "/": ["write", "wrap", "help", "b\u001b[2Jad", "two words"].map(described),
  ":": ["cancel", "close", "detach"].map(described),
};

test.each([
  ["the only possibility is completed", "/h", { added: "elp ", candidates: [] }],
  [
    "several are shown, and completed as far as they agree",
    "/w",
    { added: "r", candidates: ["  /write  does write", "  /wrap   does wrap"] },
  ],
  ["ours begin with a colon", ":d", { added: "etach ", candidates: [] }],
  ["an unknown command is not completed", "/x", undefined],
  ["nor is a name that could not be typed", "/b", undefined],
  ["nor is anything but the first word", "say /h", undefined],
  ["nor is an argument", "/write a", undefined],
])("%s", (_what, before, completed) => {
  expect(completion(before, commands)).toEqual(completed);
});
