// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { parsePublication } from "./inbox.ts";

const head = { log: "log1", session: "s", at: "2026-01-01T00:00:00.000Z" };
const plan = { ...head, seq: 7, kind: "plan", plan_id: "p", entries: [{ content: "a" }, { content: "b" }] };

test("a plan entry, which has a member `entries`, is not taken for a batch", () => {
  expect(parsePublication(JSON.stringify(plan), "s")).toEqual({
    log: "log1",
    session: "s",
    seqFrom: 7,
    seq: 7,
    entries: [plan],
  });
});

test("a batch that contains a plan is split into its entries", () => {
  const usage = { ...head, seq: 8, kind: "usage", used: 1, size: 2 };
  const batch = { log: "log1", session: "s", seq_from: 7, seq: 8, entries: [plan, usage] };
  expect(parsePublication(JSON.stringify(batch), "s")).toEqual({
    log: "log1",
    session: "s",
    seqFrom: 7,
    seq: 8,
    entries: [plan, usage],
  });
});
