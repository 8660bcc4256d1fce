// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { AgentUpdate } from "../../../acp-client/model.ts";
import { claude } from "./claude.ts";

const call = (meta: unknown): AgentUpdate => ({ kind: "tool_call", call: { toolCallId: "t", meta } });
const text = (meta: unknown): AgentUpdate => ({
  kind: "message",
  role: "agent",
  append: true,
  content: { type: "text", text: "hm" },
  meta,
});

test.each<[string, AgentUpdate, object | undefined]>([
  [
    "a tool call of a sub-agent",
    call({ claudeCode: { toolName: "Read", parentToolUseId: "p" } }),
    { parentToolCall: "p" },
  ],
  ["a text of a sub-agent", text({ claudeCode: { parentToolUseId: "p" } }), { parentToolCall: "p" }],
  ["a tool call of its own", call({ claudeCode: { toolName: "Read" } }), undefined],
  ["a parent that is no id", call({ claudeCode: { parentToolUseId: { a: 1 } } }), undefined],
  ["an empty parent", call({ claudeCode: { parentToolUseId: "" } }), undefined],
  ["meta of another agent", call({ parentToolUseId: "p" }), undefined],
  ["no meta", call(undefined), undefined],
  ["another kind of update", { kind: "info", meta: { claudeCode: { parentToolUseId: "p" } } }, undefined],
])("Claude: %s", (_, update, signs) => {
  expect(claude.quirks?.readSigns?.(update)).toEqual(signs);
});
