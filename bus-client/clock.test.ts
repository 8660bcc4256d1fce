// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { afterByWallClock } from "./clock.ts";
import { ManualClock } from "./testing/manual-clock.ts";

test("a wait ends on time, after several clock checks, and runs once", () => {
  const { clock, runs } = waiting(2_500);
  clock.advance(2_499);
  expect(runs()).toBe(0);
  clock.advance(10_000);
  expect(runs()).toBe(1);
  expect(clock.pending).toEqual([]);
});

test("a wait that ended while the machine slept runs at the next check", () => {
  const { clock, runs } = waiting(600_000);
  clock.advance(1_500);
  clock.shift(8 * 60 * 60 * 1_000);
  expect(runs()).toBe(0);
  clock.advance(500);
  expect(runs()).toBe(1);
});

test("after a shorter sleep only the remaining time is waited, by the clock", () => {
  const { clock, runs } = waiting(10_000);
  clock.shift(7_500);
  clock.advance(2_499);
  expect(runs()).toBe(0);
  clock.advance(1);
  expect(runs()).toBe(1);
});

test("a clock that is set back does not lengthen a wait", () => {
  const { clock, runs } = waiting(10_000);
  clock.shift(-1_000_000);
  clock.advance(9_999);
  expect(runs()).toBe(0);
  clock.advance(1);
  expect(runs()).toBe(1);
});

test("a cancelled wait does not run, at whichever check it was cancelled", () => {
  const { clock, runs, cancel } = waiting(10_000);
  clock.advance(3_500);
  cancel();
  clock.advance(10_000);
  expect(runs()).toBe(0);
});

function waiting(ms: number) {
  const clock = new ManualClock();
  let count = 0;
  const cancel = afterByWallClock(clock, ms, 1_000, () => (count += 1));
  return { clock, cancel, runs: () => count };
}
