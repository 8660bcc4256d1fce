// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const keys = ["roots", "max_sessions", "idle_timeout", "permission_timeout", "allow_env", "log_quota", "mesh"];

test.each([
  ["root", "roots"],
  ["max_session", "max_sessions"],
  ["maxSessions", "max_sessions"],
  ["idel_timeout", "idle_timeout"],
  ["alow_env", "allow_env"],
  ["mehs", "mesh"],
])("%s is taken for %s", (written, meant) => {
  expect(nearest(written, keys)).toBe(meant);
});

test("two errors are not guessed at", () => {
  expect(nearest("idel_timeuot", keys)).toBeUndefined();
});

test("a word like none of the known ones is taken for none of them", () => {
  expect(nearest("colour", keys)).toBeUndefined();
  expect(nearest("", keys)).toBeUndefined();
  expect(nearest("x".repeat(100_000), keys)).toBeUndefined();
});
