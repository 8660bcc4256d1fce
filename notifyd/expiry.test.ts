// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { Expiry } from "./expiry.ts";

test("an ask with a distant expiry waits in steps that a timer can hold, and expires once", () => {
  const clock = steppingClock();
  const expired: string[] = [];
  const expiry = new Expiry(clock, 1_000, (ask) => expired.push(ask) > 0);
  expiry.arm("a", new Date(2_500).toISOString());
  clock.fire();
  clock.fire();
  expect(expired).toEqual([]);
  expect(clock.waits).toEqual([1_000, 1_000, 500]);
  clock.fire();
  expect(expired).toEqual(["a"]);
});

test("a wall clock that is set back does not keep an ask open", () => {
  const clock = steppingClock();
  const expired: string[] = [];
  const expiry = new Expiry(clock, 1_000, (ask) => expired.push(ask) > 0);
  expiry.arm("a", new Date(1_500).toISOString());
  clock.wall = -1_000_000;
  clock.fire();
  clock.fire();
  expect(expired).toEqual(["a"]);
});

test("an ask that is overdue when the machine wakes up expires at the next check", () => {
  const clock = steppingClock();
  const expired: string[] = [];
  const expiry = new Expiry(clock, 1_000, (ask) => expired.push(ask) > 0);
  expiry.arm("a", new Date(600_000).toISOString());
  clock.wall = 700_000;
  clock.fire();
  expect(expired).toEqual(["a"]);
});

test("an answered ask does not expire, and an ask without an expiry has no timer", () => {
  const clock = steppingClock();
  const expiry = new Expiry(clock, 1_000, () => expect.unreachable());
  expiry.arm("a", new Date(500).toISOString());
  expiry.arm("b", null);
  expiry.disarm("a");
  expect(clock.pending()).toBe(0);
});

test("an expiry that the store rejects is retried at each check, until stopped", () => {
  const clock = steppingClock();
  const tried: string[] = [];
  const expiry = new Expiry(clock, 1_000, (ask) => tried.push(ask) > 2);
  for (const ask of ["a", "b"]) expiry.arm(ask, new Date(500).toISOString());
  expiry.disarm("b");
  for (let n = 0; n < 3; n += 1) clock.fire();
  expect(tried).toEqual(["a", "a", "a"]);
  expect([clock.waits, clock.pending()]).toEqual([[500, 500, 1_000, 1_000], 0]);
  const failing = new Expiry(clock, 1_000, () => false);
  failing.arm("c", new Date(500).toISOString());
  clock.fire();
  failing.stop();
  expect(clock.pending()).toBe(0);
});

/** A clock whose timers fire only by `fire()`, independent of its wall time. */
function steppingClock() {
  const timers: (() => void)[] = [];
  const waits: number[] = [];
  return {
    wall: 0,
    waits,
    now(): number {
      return this.wall;
    },
    after(ms: number, run: () => void): () => void {
      waits.push(ms);
      timers.push(run);
      return () => void timers.splice(timers.indexOf(run), 1);
    },
    fire: () => timers.shift()?.(),
    pending: () => timers.length,
  };
}
