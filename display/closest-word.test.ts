// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { closestWord } from "./closest-word.ts";

const keys = ["roots", "max_sessions", "idle_timeout", "permission_timeout", "allow_env", "log_quota", "mesh"];

test.each([
  ["root", "roots"],
  ["max_session", "max_sessions"],
  ["maxSessions", "max_sessions"],
  ["idel_timeout", "idle_timeout"],
  ["alow_env", "allow_env"],
  ["mehs", "mesh"],
])("%s is taken for %s", (written, meant) => {
  expect(closestWord(written, keys)).toBe(meant);
});

test("two errors are not guessed at", () => {
  expect(closestWord("idel_timeuot", keys)).toBeUndefined();
});

test("a word like none of the known ones is taken for none of them", () => {
  expect(closestWord("colour", keys)).toBeUndefined();
  expect(closestWord("", keys)).toBeUndefined();
  expect(closestWord("x".repeat(100_000), keys)).toBeUndefined();
});
