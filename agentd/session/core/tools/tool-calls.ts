// SPDX-License-Identifier: MIT OR Apache-2.0
// Assigns tool calls to their turns and closes those that the agent leaves open.
import type { AgentUpdate } from "../../../../acp-client/model.ts";
import type { ToolCallFields } from "../../../vocabulary/entries.ts";
import { type AgentSigns, parentMember } from "../agent-signs.ts";
import type { Draft } from "../draft.ts";
import { asWritten, toToolCallFields } from "../map-update.ts";
import { currentTurn, turnMembers } from "../state.ts";
import { endCall, toLoggedFields, mergeCall } from "./known-calls.ts";
import { findTool, recordTool, listOpenTools } from "./tool-ledger.ts";

/** Adds the entry of an ACP tool_call or tool_call_update, and returns the fields that the agent sent. */
export function addToolCall(
  draft: Draft,
  update: Extract<AgentUpdate, { kind: "tool_call" }>,
  signs?: AgentSigns,
): ToolCallFields {
  const { state } = draft;
  const fields = { ...toToolCallFields(update.call), ...parentMember(signs) };
  const seen = findTool(state.tools, fields.tool_call_id);
  const turn = seen ? seen.turn : currentTurn(state).turn;
  if (!seen) closeOldestIfFull(draft);
  const logged = asWritten(toLoggedFields(state.calls, fields), update.call.source);
  // Write ACP's default, so that readers of the log need not know it.
  const status = !seen && typeof fields.status !== "string" ? { status: "pending" } : undefined;
  draft.add({ kind: "tool_call", ...turnMembers(state, turn), ...logged, ...status });
  state.tools = recordTool(state.tools, fields.tool_call_id, turn, fields.status);
  const hasEnded = !state.tools.open.has(fields.tool_call_id);
  const sent = status ? { ...fields, ...status } : fields;
  state.calls = mergeCall(state.calls, sent.tool_call_id, sent, {
    hasEnded,
    isBase: true,
    wasSeen: seen !== undefined,
  });
  // A tool call ends a run of chunks without a message id.
  state.openMessage = null;
  return sent;
}

/** Keeps an agent that never ends its calls from growing the session without bound. */
export function closeOldestIfFull(draft: Draft): void {
  const { state, context } = draft;
  const open = listOpenTools(state.tools);
  const [oldest] = open;
  if (oldest === undefined || open.length < context.limits.openToolCallsMax) return;
  closeTool(draft, oldest);
}

export function closeTool(draft: Draft, id: string): void {
  const { state } = draft;
  const turn = findTool(state.tools, id)?.turn;
  draft.add({
    kind: "tool_call",
    ...turnMembers(state, turn),
    tool_call_id: id,
    status: "failed",
    closed_by: "agentd",
  });
  state.tools = recordTool(state.tools, id, turn, "failed");
  state.calls = endCall(state.calls, id);
}

/** Closes the calls that the agent left open, or opened again late, with their turn or session. */
export function closeOpenTools(draft: Draft): void {
  for (const id of listOpenTools(draft.state.tools)) closeTool(draft, id);
}
