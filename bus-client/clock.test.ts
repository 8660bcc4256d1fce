// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { afterByWallClock } from "./clock.ts";
import { ManualClock } from "./testing/manual-clock.ts";

test("a wait takes as long as it is to, in looks at the clock, and runs once", () => {
  const { clock, runs } = waiting(2_500);
  clock.advance(2_499);
  expect(runs()).toBe(0);
  clock.advance(10_000);
  expect(runs()).toBe(1);
  expect(clock.pending).toEqual([]);
});

test("what is over when the machine wakes up is over at the next look", () => {
  const { clock, runs } = waiting(600_000);
  clock.advance(1_500);
  clock.shift(8 * 60 * 60 * 1_000);
  expect(runs()).toBe(0);
  clock.advance(500);
  expect(runs()).toBe(1);
});

test("after a sleep that was shorter the rest is waited for, by the clock", () => {
  const { clock, runs } = waiting(10_000);
  clock.shift(7_500);
  clock.advance(2_499);
  expect(runs()).toBe(0);
  clock.advance(1);
  expect(runs()).toBe(1);
});

test("a clock that is set back keeps nothing open", () => {
  const { clock, runs } = waiting(10_000);
  clock.shift(-1_000_000);
  clock.advance(9_999);
  expect(runs()).toBe(0);
  clock.advance(1);
  expect(runs()).toBe(1);
});

test("what is cancelled, at whichever look, does not run", () => {
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
