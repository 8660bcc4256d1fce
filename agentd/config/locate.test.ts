// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { locate } from "./locate.ts";

const text = `# the instance
roots = [
  "~/src", # [agents.mine]
  "~/other",
]

allow_env = ["A"]
note = """
[agents.mine]
max_sessions = 3
"""

[agents.mine]
# what runs
command = ["a"]
env = { A = "b" }

[policies]
[agents.other]
"command" = ["b"]
[[rules]]
a = 1

[[rules]]
a = 2`;

test.each([
  [["roots"], 2],
  [["roots", 1], 2],
  [["allow_env", 0], 7],
  [["note"], 8],
  [["agents"], 13],
  [["agents", "mine"], 13],
  [["agents", "mine", "command"], 15],
  [["agents", "mine", "command", 0], 15],
  [["agents", "mine", "env", "A"], 16],
  [["agents", "mine", "protocol"], 13],
  [["agents", "other", "command"], 20],
  [["rules", 0, "a"], 22],
  [["rules", 1], 24],
  [["rules", 1, "a"], 25],
  [["max_sessions"], null],
  [[], null],
])("%j stands in line %s", (path, line) => {
  expect(locate(text, path)).toBe(line);
  expect(locate(text.replaceAll("\n", "\r\n"), path)).toBe(line);
});

test("a file of many lines is searched without reading it anew for each of them", () => {
  const lines = Array.from({ length: 4_000 }, (_, index) => `key_${index} = "value"`);
  expect(locate(lines.join("\n"), ["key_3210"])).toBe(3_211);
});
