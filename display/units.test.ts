// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { formatAge, formatDuration, formatElapsed } from "./units.ts";

test("an age is shown in its largest unit, and a short duration in tenths of a second", () => {
  expect([999, 61_000, 7_200_000, 200_000_000].map(formatAge)).toEqual(["0s", "1m", "2h", "2d"]);
  expect([900, 59_999, 61_000].map(formatDuration)).toEqual(["0.9s", "60.0s", "1m01s"]);
  expect([999, 61_000, 7_500_000, 200_000_000].map(formatElapsed)).toEqual(["0s", "1m01s", "2h05m", "2d"]);
});
