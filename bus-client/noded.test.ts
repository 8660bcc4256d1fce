// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { parseRegisteredServices } from "./noded.ts";

test("services are listed whole, or by their names alone as older brokers have it", () => {
  const whole = { name: "agent", pid: 7, meta: { registration_incarnation: "x" } };
  expect(parseRegisteredServices([whole, "clock"])).toEqual([whole, { name: "clock" }]);
});

test("what has no name is no service, and what is no list has none", () => {
  expect(parseRegisteredServices([null, 7, {}, { name: 7 }, ["agent"]])).toEqual([]);
  expect(parseRegisteredServices({ name: "agent" })).toBeUndefined();
});
