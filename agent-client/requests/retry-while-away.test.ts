// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { AgentError } from "../agent-error.ts";
import { retryWhileAway, type RetryPolicy } from "./retry-while-away.ts";

/** Time passes only in pauses. */
function policyOf(
  rest: Partial<RetryPolicy> = {},
): RetryPolicy & { readonly told: boolean[]; readonly at: () => number } {
  let clock = 0;
  const told: boolean[] = [];
  return {
    now: () => clock,
    after(ms, run) {
      const timer = setImmediate(() => {
        clock += ms;
        run();
      });
      return () => clearImmediate(timer);
    },
    onReachableChange: (reachable) => told.push(reachable),
    told,
    at: () => clock,
    ...rest,
  };
}

/** Fails the given number of times, then answers. */
function failing(times: number, code = "UNREACHABLE"): () => Promise<string> {
  let left = times;
  return () => {
    left -= 1;
    return left >= 0 ? Promise.reject(new AgentError(code, "away")) : Promise.resolve("here");
  };
}

test("a service that may come back is retried without a limit, and each change is reported once", async () => {
  const policy = policyOf({ mayComeBack: () => true });
  expect(await retryWhileAway(policy, failing(200))).toBe("here");
  expect(policy.at()).toBeGreaterThan(300_000);
  expect(policy.told).toEqual([false, true]);
});

test("a service that cannot come back by itself is retried for 30 s from then on", async () => {
  const wentAt = 60_000;
  const policy: ReturnType<typeof policyOf> = policyOf({ mayComeBack: () => policy.at() < wentAt });
  await expect(retryWhileAway(policy, failing(Infinity))).rejects.toMatchObject({ code: "UNREACHABLE" });
  expect(policy.at()).toBeGreaterThanOrEqual(wentAt + 28_000);
  expect(policy.at()).toBeLessThan(wentAt + 34_000);
});

test("a busy service is retried without a report", async () => {
  const policy = policyOf();
  expect(await retryWhileAway(policy, failing(100, "BUSY"))).toBe("here");
  expect(policy.told).toEqual([]);
});

test("a refusal is not retried", async () => {
  const policy = policyOf({ mayComeBack: () => true });
  await expect(retryWhileAway(policy, failing(1, "SESSION_UNKNOWN"))).rejects.toMatchObject({
    code: "SESSION_UNKNOWN",
  });
  expect(policy.told).toEqual([]);
});

test("the signal ends the wait at once, during a pause or a request", async () => {
  const [inPause, inAsking] = [new AbortController(), new AbortController()];
  const never = policyOf({ after: () => () => undefined, signal: inPause.signal });
  const paused = retryWhileAway(never, failing(Infinity));
  await Promise.resolve();
  inPause.abort();
  expect(await paused).toBeUndefined();
  const asked = retryWhileAway(policyOf({ signal: inAsking.signal }), () => new Promise<string>(() => undefined));
  inAsking.abort();
  expect(await asked).toBeUndefined();
});
