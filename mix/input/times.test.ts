// SPDX-License-Identifier: MIT OR Apache-2.0
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { parsePointInTime } from "./times.ts";

beforeEach(() => {
  vi.stubEnv("TZ", "Europe/Berlin");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** In Berlin it is 13:00. */
const now = Date.parse("2026-11-30T12:00:00Z");

test.for([
  ["30d", "2026-10-31T12:00:00.000Z"],
  ["90m", "2026-11-30T10:30:00.000Z"],
  ["1h30m", "2026-11-30T10:30:00.000Z"],
  ["1d12h", "2026-11-29T00:00:00.000Z"],
  ["2w", "2026-11-16T12:00:00.000Z"],
  ["0h", "2026-11-30T12:00:00.000Z"],
  ["2026-01-31", "2026-01-30T23:00:00.000Z"],
  ["2024-02-29", "2024-02-28T23:00:00.000Z"],
  ["2026-07-01", "2026-06-30T22:00:00.000Z"],
  ["2026-01-31T12:00:00", "2026-01-31T11:00:00.000Z"],
  ["2026-01-31 12:00", "2026-01-31T11:00:00.000Z"],
  ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"],
  ["2026-01-31T12:00+02:00", "2026-01-31T10:00:00.000Z"],
  ["12:30", "2026-11-30T11:30:00.000Z"],
  ["13:00:00", "2026-11-30T12:00:00.000Z"],
  // It has not come yet today.
  ["23:30", "2026-11-29T22:30:00.000Z"],
] as const)("%s is %s", ([text, time]) => {
  expect(parsePointInTime(text, now)).toBe(time);
});

test.for([
  "",
  "30",
  "d",
  "-3d",
  "3y",
  "2026-02-30",
  "2026-02-30T12:00",
  "2026-13-01",
  "2026-01-31T25:00",
  "24:00",
  "12:60",
  "12",
  "31.01.2026",
  "yesterday",
  `${"9".repeat(30)}w`,
])("%j is not a time", (text) => {
  expect(parsePointInTime(text, now)).toBeUndefined();
});
