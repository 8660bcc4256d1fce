// SPDX-License-Identifier: MIT OR Apache-2.0
// Tool calls of the agent: to which turn each belongs, and their end where the agent leaves them open.
import type { AgentUpdate } from "../../../../acp-client/model.ts";
import type { ToolCallFields } from "../../../vocabulary/entries.ts";
import type { Draft } from "../draft.ts";
import { toToolCallFields } from "../map-update.ts";
import { currentTurn, turnMembers } from "../state.ts";
import { endCall, toLoggedFields, mergeCall } from "./known-calls.ts";
import { findTool, recordTool, listOpenTools } from "./tool-ledger.ts";

/** Returns what was said of the call. */
export function addToolCall(draft: Draft, update: Extract<AgentUpdate, { kind: "tool_call" }>): ToolCallFields {
  const { state } = draft;
  const fields = toToolCallFields(update.call);
  const seen = findTool(state.tools, fields.tool_call_id);
  const turn = seen ? seen.turn : currentTurn(state).turn;
  if (!seen) closeOldestIfFull(draft);
  const logged = toLoggedFields(state.calls, fields);
  // ACP's own default: whoever reads the log need not know it.
  const status = !seen && typeof fields.status !== "string" ? { status: "pending" } : undefined;
  draft.add({ kind: "tool_call", ...turnMembers(state, turn), ...logged, ...status });
  state.tools = recordTool(state.tools, fields.tool_call_id, turn, fields.status);
  const hasEnded = !state.tools.open.has(fields.tool_call_id);
  const said = status ? { ...fields, ...status } : fields;
  state.calls = mergeCall(state.calls, said.tool_call_id, said, {
    hasEnded,
    isBase: true,
    wasSeen: seen !== undefined,
  });
  // A call ends a run of chunks that bear no message id of their own.
  state.openMessage = null;
  return said;
}

/** An agent that opens calls and never ends them must not grow the session without bound: the oldest is closed. */
export function closeOldestIfFull(draft: Draft): void {
  const { state, context } = draft;
  const open = listOpenTools(state.tools);
  const [oldest] = open;
  if (oldest === undefined || open.length < context.settings.openToolCallsMax) return;
  closeTool(draft, oldest);
}

/** A tool call that its agent left open. */
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

/** Tool calls that their agent left open, or opened anew by late words, are closed with their turn or their session. */
export function closeOpenTools(draft: Draft): void {
  for (const id of listOpenTools(draft.state.tools)) closeTool(draft, id);
}
