// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultLimits } from "../config/limits.ts";

const units = join(import.meta.dirname, "..", "..", "units");
const unit = readUnit(join(units, "agentd.service"));

test("notifyd's service is restarted after a crash, but not after an error that a person must fix", () => {
  const notifyd = readUnit(join(units, "notifyd.service"));
  expect(notifyd.get("Service.ExecStart")).toBe("/usr/bin/env notifyd");
  expect(notifyd.get("Service.Restart")).toBe("on-failure");
  expect(notifyd.get("Service.RestartPreventExitStatus")).toBe("2 75");
});

test("the service is restarted after a crash, but not if its configuration was refused", () => {
  expect(unit.get("Service.Restart")).toBe("on-failure");
  expect(unit.get("Service.RestartPreventExitStatus")).toBe("2 75");
});

test("the service's stop timeout suffices for the slowest end of an agent", () => {
  const { closeRequestTimeoutMs, stdinGraceMs, termGraceMs } = defaultLimits;
  const seconds = Number(unit.get("Service.TimeoutStopSec"));
  expect(seconds * 1000).toBeGreaterThan(2 * (closeRequestTimeoutMs + stdinGraceMs + termGraceMs));
});

test("agentd ends its agents itself, and systemd does not kill them first", () => {
  expect(unit.get("Service.KillMode")).toBe("mixed");
  expect(unit.get("Service.OOMPolicy")).toBe("continue");
});

test("the program is found on the service's PATH, and belongs to the user's session", () => {
  expect(unit.get("Service.ExecStart")).toBe("/usr/bin/env agentd");
  expect(unit.get("Install.WantedBy")).toBe("default.target");
});

function readUnit(file: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let section = "";
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const header = /^\[(\w+)\]$/u.exec(line)?.[1];
    const [, key, value] = /^(\w+)=(.*)$/u.exec(line) ?? [];
    if (header !== undefined) section = header;
    else if (key !== undefined && value !== undefined) values.set(`${section}.${key}`, value);
  }
  return values;
}
