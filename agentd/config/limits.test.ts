// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { defaultLimits, durationMsMax, listLimits } from "./limits.ts";
import { defaultSettings } from "./settings.ts";

test("every limit is listed once, with a whole value above zero, its unit and what it bounds", () => {
  const listed = listLimits(defaultLimits, defaultSettings);
  expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
  expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(defaultLimits)));
  expect(listed.filter(({ value }) => !Number.isSafeInteger(value) || (value ?? 0) <= 0)).toEqual([]);
  expect(listed.filter(({ description }) => description.length < 10)).toEqual([]);
});

test("a limit's name tells its unit", () => {
  const unitInName = { bytes: /Bytes/u, ms: /Ms(?:Max)?$/u, count: /Max$|^maxSessions$/u };
  for (const { name, unit } of listLimits(defaultLimits, defaultSettings)) expect(name).toMatch(unitInName[unit]);
});

test("no wait is longer than a timer can hold", () => {
  const waits = listLimits(defaultLimits, defaultSettings).filter(({ unit }) => unit === "ms");
  expect(waits.length).toBeGreaterThan(10);
  expect(waits.filter(({ value }) => (value ?? 0) > durationMsMax)).toEqual([]);
});

test("what the instance's file sets is listed as set, and none as null", () => {
  const listed = listLimits(
    { ...defaultLimits, waitsMax: 3 },
    { ...defaultSettings, maxSessions: 2, idleTimeoutMs: null },
  );
  const values = new Map(listed.map(({ name, value }) => [name, value]));
  expect(values.get("waitsMax")).toBe(3);
  expect(values.get("maxSessions")).toBe(2);
  expect(values.get("idleTimeoutMs")).toBeNull();
});
