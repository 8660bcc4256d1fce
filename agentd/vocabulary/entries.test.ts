// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { titleWithName } from "./entries.ts";

test.each([
  [{ title: "`ls`" }, "`ls`"],
  [{ name: "bus_call" }, "bus_call"],
  [{ title: '{"service":"agent"}', name: "bus_call" }, 'bus_call: {"service":"agent"}'],
  [{ title: "mixos: bus_call", name: "bus_call" }, "mixos: bus_call"],
  [{ title: "", name: null }, undefined],
])("%j is shown as %j", (call, words) => {
  expect(titleWithName(call)).toBe(words);
});
