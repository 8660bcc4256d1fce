// SPDX-License-Identifier: MIT OR Apache-2.0
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { durationMsMax } from "../../display/durations.ts";
import { defaultLimits, listLimits } from "./limits.ts";
import { defaultSettings } from "./settings.ts";

test("every limit is listed once, with a positive integer, its unit and a description", () => {
  const listed = listLimits(defaultLimits, defaultSettings);
  expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
  expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(defaultLimits)));
  expect(listed.filter(({ value }) => !Number.isSafeInteger(value) || (value ?? 0) <= 0)).toEqual([]);
  expect(listed.filter(({ description }) => description.length < 10)).toEqual([]);
});

test("a limit's name ends with its unit", () => {
  const unitInName = { bytes: /Bytes/u, ms: /Ms(?:Max)?$/u, count: /Max$|^maxSessions$/u };
  for (const { name, unit } of listLimits(defaultLimits, defaultSettings)) expect(name).toMatch(unitInName[unit]);
});

test("every limit is used in the code, and its number stands in one place only", () => {
  const agentd = fileURLToPath(new URL("..", import.meta.url));
  const files = readdirSync(agentd, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("testing/"))
    .filter((file) => !/^(config|vocabulary)\/limits\.ts$/u.test(file) && !file.startsWith("demo-agent/"));
  const code = files
    .map((file) => readFileSync(join(agentd, file), "utf8").replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gmu, ""))
    .join("\n");
  // Configurable limits have their defaults in the settings.
  const names = listLimits(defaultLimits, defaultSettings)
    .map(({ name }) => name)
    .filter((name) => !(name in defaultSettings));
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !new RegExp(String.raw`\b${name}\b`, "u").test(code))).toEqual([]);
  const again = names.filter((name) => new RegExp(String.raw`\b${name}(:| =) [\d_]+\b`, "u").test(code));
  expect(again).toEqual([]);
});

test("no wait is longer than a timer can hold", () => {
  const waits = listLimits(defaultLimits, defaultSettings).filter(({ unit }) => unit === "ms");
  expect(waits.length).toBeGreaterThan(10);
  expect(waits.filter(({ value }) => (value ?? 0) > durationMsMax)).toEqual([]);
});

test('configured limits are listed as configured, and "none" as null', () => {
  const listed = listLimits(
    { ...defaultLimits, waitsMax: 3 },
    { ...defaultSettings, maxSessions: 2, idleTimeoutMs: null },
  );
  const values = new Map(listed.map(({ name, value }) => [name, value]));
  expect(values.get("waitsMax")).toBe(3);
  expect(values.get("maxSessions")).toBe(2);
  expect(values.get("idleTimeoutMs")).toBeNull();
});
