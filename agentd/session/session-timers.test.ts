// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../../bus-client/testing/manual-clock.ts";
import type { Timer } from "./core/input.ts";
import { SessionTimers } from "./effect-runner.ts";

test.each<[Timer, boolean]>([
  ["request", true],
  ["cancel", false],
  ["drain", false],
  ["idle", false],
])("seconds after the machine slept past its expiry, the timer of kind %s has fired: %s", (timer, isOver) => {
  const clock = new ManualClock();
  const timers = new SessionTimers(clock);
  let fired = 0;
  timers.arm("abcdefghijkl", timer, "", 600_000, () => (fired += 1));
  clock.shift(600_000);
  clock.advance(2_000);
  expect(fired).toBe(Number(isOver));
  clock.advance(600_000);
  expect(fired).toBe(1);
});

test("arming a timer replaces the one with its key, and a session's timers are disarmed together", () => {
  const clock = new ManualClock();
  const timers = new SessionTimers(clock);
  const fired: string[] = [];
  timers.arm("a", "request", "1", 1_000, () => fired.push("first"));
  timers.arm("a", "request", "1", 5_000, () => fired.push("second"));
  timers.arm("b", "request", "1", 5_000, () => fired.push("other"));
  clock.advance(1_000);
  expect(fired).toEqual([]);
  timers.disarmAll("b");
  clock.advance(4_000);
  expect(fired).toEqual(["second"]);
});
