// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { LogError } from "./log/log-error.ts";
import { quotaReserve } from "./log/space.ts";
import { watchQuota } from "./quota.ts";

const quota = 1000;

function watched() {
  const told: string[] = [];
  let used: number | LogError = 0;
  const watch = watchQuota({
    used() {
      if (typeof used === "number") return used;
      throw used;
    },
    quota: () => quota,
    onLevel: (level) => told.push(level),
    onOverrun: () => told.push("overrun"),
  });
  return {
    told,
    at: (now: number | LogError): void => {
      used = now;
      watch.check();
    },
  };
}

test("each level is reported once when it is reached in either direction, and the overrun each time it begins", () => {
  const { at, told } = watched();
  const over = quota + quotaReserve(quota) / 2;
  for (const used of [10, 899, 900, 950, 1000, 5000, over, over + 1, 500, over, 0]) at(used);
  expect(told).toEqual(["warning", "full", "overrun", "plenty", "full", "overrun", "plenty"]);
});

test("a size that cannot be read ends nothing and changes no level, and the next check reports changes", () => {
  const { at, told } = watched();
  at(950);
  at(new LogError("io", "the disk is away"));
  expect(told).toEqual(["warning"]);
  at(1000);
  expect(told).toEqual(["warning", "full"]);
});
