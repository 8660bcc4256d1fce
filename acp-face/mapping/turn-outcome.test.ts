// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { TurnEntry } from "../../agentd/vocabulary/entries.ts";
import { type ErrorCode, errorBody } from "../../agentd/vocabulary/errors.ts";
import { turnOutcome } from "./turn-outcome.ts";

const ended = (stop_reason: string, other: Partial<TurnEntry> = {}): TurnEntry => ({
  kind: "turn",
  turn: 1,
  phase: "ended",
  stop_reason,
  ...other,
});
const failed = (code: ErrorCode, members: object = {}) =>
  turnOutcome(ended("failed", { error: errorBody(code, "it broke", { ...members }) }));

test.each(["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"])("%s is the agent's", (reason) => {
  expect(turnOutcome(ended(reason))).toEqual({ stopReason: reason });
});

test.each(["steered", "agent_specific"])("%s, which ACP does not have, is the end of the turn", (reason) => {
  expect(turnOutcome(ended(reason))).toEqual({ stopReason: "end_turn" });
});

test("a failed turn has its text, and facts without it", () => {
  const facts = { terminal_status: "provider_error", error_kind: "agent_error" };
  expect(failed("AGENT_ERROR")).toEqual({ stopReason: "end_turn", failure: facts, text: "it broke" });
  expect(failed("AGENT_UNAVAILABLE")).toMatchObject({
    failure: { terminal_status: "configuration_error", error_kind: "agent_unavailable" },
  });
});

test("an interrupted turn says so", () => {
  expect(turnOutcome(ended("interrupted"))).toEqual({
    stopReason: "end_turn",
    failure: { terminal_status: "interrupted" },
    text: "The turn was interrupted: agentd or the agent ended.",
  });
});

test("a missing login is an error", () => {
  expect(failed("AGENT_AUTH")).toEqual({ authRequired: { message: "it broke" } });
});

test.each([
  ["rate_limited", "rate_limited"],
  ["a".repeat(64), "a".repeat(64)],
  ["a".repeat(65), undefined],
  ["Rate", undefined],
  ["ñandu", undefined],
  ["rate\n", undefined],
  ["7up", undefined],
  [7, undefined],
])("of the agent's facts, the kind %j is told as %j", (kind, told) => {
  const rpc = {
    code: -32603,
    message: "secret",
    data: { terminal_status: "tool_error", error_kind: kind, more: "secret" },
  };
  const facts = { terminal_status: "tool_error", ...(told === undefined ? {} : { error_kind: told }) };
  expect(failed("AGENT_ERROR", { rpc })).toMatchObject({ failure: facts });
  expect(JSON.stringify(failed("AGENT_ERROR", { rpc }))).not.toContain("secret");
});

test("a terminal status that is not in the list is not told", () => {
  const rpc = { data: { terminal_status: "weird" } };
  expect(failed("AGENT_ERROR", { rpc })).toMatchObject({
    failure: { terminal_status: "provider_error", error_kind: "agent_error" },
  });
});

test("the usage has the names of ACP, without the cost", () => {
  const usage = { input_tokens: 10, output_tokens: 0, total_tokens: 10, cost: { amount: 1, currency: "EUR" } };
  expect(turnOutcome(ended("end_turn", { usage }))).toEqual({
    stopReason: "end_turn",
    usage: { inputTokens: 10, outputTokens: 0, totalTokens: 10 },
  });
  expect(turnOutcome(ended("end_turn", { usage: { input_tokens: 10 } }))).toEqual({ stopReason: "end_turn" });
});
