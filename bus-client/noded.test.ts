// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { parseRegisteredServices } from "./noded.ts";

test("services are listed with all fields, or by name alone as older brokers do", () => {
  const whole = { name: "agent", pid: 7, meta: { registration_incarnation: "x" } };
  expect(parseRegisteredServices([whole, "clock"])).toEqual([whole, { name: "clock" }]);
});

test("items without a name are skipped, and anything but a list is undefined", () => {
  expect(parseRegisteredServices([null, 7, {}, { name: 7 }, ["agent"]])).toEqual([]);
  expect(parseRegisteredServices({ name: "agent" })).toBeUndefined();
});
