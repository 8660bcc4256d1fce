// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { ToolCallEntry } from "../../agentd/vocabulary/entries.ts";
import { ToolCalls } from "./tool-calls.ts";

const entry = (id: string, other: object = {}): ToolCallEntry & { turn: number } => ({
  kind: "tool_call",
  tool_call_id: id,
  turn: 1,
  ...other,
});
const grown = { grow: [{ path: ["raw_output"], at: 100, text: "more" }] };

test("ended calls are forgotten before open ones, the oldest first", () => {
  const calls = new ToolCalls({ calls: 3, units: 1_000 });
  calls.apply(entry("open", { status: "in_progress" }));
  for (const id of ["a", "b", "c", "d"]) calls.apply(entry(id, { status: "completed" }));
  expect(["open", "a", "b", "c", "d"].filter((id) => calls.has(id))).toEqual(["open", "c", "d"]);
});

test("the values of all open calls stay within the limit, and those of the newest are held", () => {
  const calls = new ToolCalls({ calls: 10, units: 1_000 });
  const output = "x".repeat(400);
  for (const id of ["a", "b", "c"]) calls.apply(entry(id, { raw_output: output }));
  const told = (id: string) => calls.apply(entry(id, grown)).fields.raw_output;
  expect([told("a"), told("b"), told("c")]).toEqual([undefined, `${output}more`, `${output}more`]);
  expect(calls.open(1)).toEqual(["a", "b", "c"]);
});

test("the values of an ended call are not held", () => {
  const calls = new ToolCalls();
  calls.apply(entry("a", { status: "completed", raw_output: "x".repeat(400) }));
  expect(calls.apply(entry("a", grown)).fields.raw_output).toBeUndefined();
});
