// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { AgentUpdate } from "../../../acp-client/model.ts";
import { opencode } from "./opencode.ts";

const call = (title: string): AgentUpdate => ({ kind: "tool_call", call: { toolCallId: "t", title } });

test("OpenCode's call of a sub-agent may hang, and no other", () => {
  expect(opencode.quirks?.readSigns?.(call("task"))).toMatchObject({ mayHang: { toolCallId: "t" } });
  expect(opencode.quirks?.readSigns?.(call("bash"))).toBeUndefined();
  expect(opencode.quirks?.readSigns?.({ kind: "commands", commands: [] })).toBeUndefined();
});
