// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { objectionsToAgentFrame } from "./agent-frame-schema.ts";

const objectionsTo = (frame: object): string[] =>
  objectionsToAgentFrame({ jsonrpc: "2.0", ...frame }, new Map([[1, "session/prompt"]]));
const updated = (update: object): object => ({ method: "session/update", params: { sessionId: "s", update } });
const call = { toolCallId: "c", title: "Run" };

test.each([
  [{ id: 1, result: { stopReason: "end_turn", _meta: { vendor: true } } }, []],
  [{ id: 1, result: { stopReason: "end_turn", vendor: true } }, ["PromptResponse: no member vendor"]],
  [updated({ sessionUpdate: "tool_call", ...call, _meta: {} }), []],
  [updated({ sessionUpdate: "tool_call", ...call, entries: [] }), ["SessionNotification: no member entries"]],
])("what is not of ACP is an objection, unless it is in _meta: %j", (frame, expected) => {
  expect(objectionsTo(frame)).toEqual(expected);
});
