// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { parsePublication } from "./inbox.ts";

const head = { log: "log1", session: "s", at: "2026-01-01T00:00:00.000Z" };
const plan = { ...head, seq: 7, kind: "plan", plan_id: "p", entries: [{ content: "a" }, { content: "b" }] };

test("a plan, which has entries of its own, is one entry and no batch", () => {
  expect(parsePublication(JSON.stringify(plan), "s")).toEqual({ log: "log1", seqFrom: 7, seq: 7, entries: [plan] });
});

test("a batch that holds a plan is taken apart into what was committed", () => {
  const usage = { ...head, seq: 8, kind: "usage", used: 1, size: 2 };
  const batch = { log: "log1", session: "s", seq_from: 7, seq: 8, entries: [plan, usage] };
  expect(parsePublication(JSON.stringify(batch), "s")).toEqual({
    log: "log1",
    seqFrom: 7,
    seq: 8,
    entries: [plan, usage],
  });
});
