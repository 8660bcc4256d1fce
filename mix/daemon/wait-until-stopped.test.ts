// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { Context } from "../process/context.ts";
import { waitUntilStopped } from "./wait-until-stopped.ts";

/** A clock that jumps to the end of each timer. */
function jumpingClock(): Pick<Context, "now" | "after"> {
  let now = 0;
  return {
    now: () => now,
    after: (ms, run) => {
      now += ms;
      const immediate = setImmediate(run);
      return () => clearImmediate(immediate);
    },
  };
}

test("a daemon that ends one session after the other is waited for, and the number that is left is shown", async () => {
  const context = jumpingClock();
  const secondsEach = 20;
  const left = (): number => Math.max(0, 12 - Math.floor(context.now() / 1000 / secondsEach));
  const said: string[] = [];
  await waitUntilStopped({
    context,
    pid: 7,
    isRunning: () => left() > 0,
    sessionsLeft: () => Promise.resolve(left()),
    say: (text) => said.push(text),
  });
  expect(context.now()).toBeGreaterThanOrEqual(12 * secondsEach * 1000);
  expect(said).toEqual([...Array.from({ length: 11 }, (_, index) => `${12 - index} sessions left`), "1 session left"]);
});

test("waiting fails for a daemon that ends no session for thirty seconds, and the error counts what is left", async () => {
  const context = jumpingClock();
  const stopping = {
    context,
    pid: 7,
    isRunning: () => true,
    sessionsLeft: () => Promise.resolve(Math.max(3, 5 - Math.floor(context.now() / 10_000))),
    say: () => {},
  };
  await expect(waitUntilStopped(stopping)).rejects.toMatchObject({
    code: "TIME_LIMIT",
    message:
      "agentd (pid 7) is still running, with 3 sessions left; no session has ended for 30 s: " +
      "`kill -KILL 7` ends it, and the next agentd ends its remaining agents",
  });
  expect(context.now()).toBeGreaterThanOrEqual(50_000);
});

test("a daemon that no longer answers is waited for thirty seconds", async () => {
  const context = jumpingClock();
  const sessionsLeft = (): Promise<number> => Promise.reject(new Error("the Bus went away"));
  const stopping = { context, pid: 7, isRunning: () => true, sessionsLeft, say: () => {} };
  await expect(waitUntilStopped(stopping)).rejects.toMatchObject({ code: "TIME_LIMIT" });
  expect(context.now()).toBeGreaterThanOrEqual(30_000);
  expect(context.now()).toBeLessThan(31_000);
});
