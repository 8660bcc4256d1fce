// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { PageQuery } from "../log/read.ts";
import { findAnswerStatus } from "./answer-status.ts";

const requested = { kind: "permission", request: "s-1", phase: "requested" };
const resolved = (via: string) => ({ kind: "permission", request: "s-1", phase: "resolved", via });
const told = { kind: "diagnostic", what: "answer-unused", request: "s-1", message: "" };
const ofAnother = { kind: "diagnostic", what: "answer-unused", request: "s-11", message: "" };

test.each([
  ["used", [requested, resolved("notify")]],
  ["unused", [requested, resolved("restart"), ofAnother]],
  ["unused", [requested]],
  ["reported", [requested, resolved("restart"), told]],
  ["gone", []],
])("a person's answer is %s where the log has %j", (use, entries) => {
  // One entry per page, so that the search spans pages.
  const page = ({ after = 0 }: PageQuery) => ({
    entries: entries.slice(after, after + 1).map((entry) => JSON.stringify(entry)),
    ...(after + 1 < entries.length ? { next: after + 1 } : {}),
    lastSeq: entries.length,
  });
  expect(findAnswerStatus({ page }, "s", "s-1")).toBe(use);
});
