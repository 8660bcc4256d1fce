// SPDX-License-Identifier: MIT OR Apache-2.0
// Messages and tool calls of the agent: to which turn and to which message each belongs.
import type { AgentUpdate } from "../../../acp-client/model.ts";
import type { ToolCallFields } from "../../vocabulary/index.ts";
import type { Draft } from "./draft.ts";
import { endCall, loggedFields, mergeCall } from "./tools/known-calls.ts";
import { toolCallFields } from "./map-update.ts";
import { currentTurn, ofTurn } from "./state.ts";
import { findTool, noteTool, openTools } from "./tools/tool-ledger.ts";

/** A message update, perhaps several chunks of one burst joined. */
export type MessageUpdate = Extract<AgentUpdate, { kind: "message" }> & { readonly chunks?: number };

export function noteMessage(draft: Draft, update: MessageUpdate): void {
  const { state } = draft;
  if (update.role === "user" && dropEcho(draft, update)) return;
  draft.add({
    kind: "message",
    ...currentTurn(state),
    role: update.role,
    message_id: messageId(draft, update),
    content: update.content,
    ...(update.append ? { append: true as const } : {}),
    ...(update.chunks === undefined ? {} : { chunks: update.chunks }),
    ...(update.meta === undefined ? {} : { _meta: update.meta }),
  });
}

/** Returns what was said of the call. */
export function noteToolCall(draft: Draft, update: Extract<AgentUpdate, { kind: "tool_call" }>): ToolCallFields {
  const { state } = draft;
  const fields = toolCallFields(update.call);
  const seen = findTool(state.tools, fields.tool_call_id);
  const turn = seen ? seen.turn : currentTurn(state).turn;
  if (!seen) makeRoom(draft);
  const logged = loggedFields(state.calls, fields);
  // ACP's own default: whoever reads the log need not know it.
  const status = !seen && typeof fields.status !== "string" ? { status: "pending" } : undefined;
  draft.add({ kind: "tool_call", ...ofTurn(state, turn), ...logged, ...status });
  state.tools = noteTool(state.tools, fields.tool_call_id, turn, fields.status);
  const isOver = !state.tools.open.has(fields.tool_call_id);
  const said = status ? { ...fields, ...status } : fields;
  state.calls = mergeCall(state.calls, said.tool_call_id, said, { isOver, isBase: true, wasSeen: seen !== undefined });
  // A call ends a run of chunks that bear no message id of their own.
  state.messageRun = null;
  return said;
}

/** An agent that opens calls and never ends them must not grow the session without bound: the oldest is closed. */
export function makeRoom(draft: Draft): void {
  const { state, context } = draft;
  const open = openTools(state.tools);
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
    ...ofTurn(state, turn),
    tool_call_id: id,
    status: "failed",
    closed_by: "agentd",
  });
  state.tools = noteTool(state.tools, id, turn, "failed");
  state.calls = endCall(state.calls, id);
}

/** The agent's own id; without one, an id for each run of one role, named for its first entry: no later agentd makes it again. */
function messageId(draft: Draft, update: MessageUpdate): string {
  const { state } = draft;
  if (update.messageId !== undefined) {
    state.messageRun = null;
    return update.messageId;
  }
  if (state.messageRun?.role !== update.role) state.messageRun = { role: update.role, id: `m${state.seq + 1}` };
  return state.messageRun.id;
}

/** The prompt is in the log already: an agent that repeats it says nothing new. */
function dropEcho(draft: Draft, update: MessageUpdate): boolean {
  const { state } = draft;
  if (state.life.phase !== "turn") return false;
  const { turn } = state.life;
  const text = update.content["text"];
  if (typeof text !== "string" || text === "" || !turn.echo.startsWith(text)) return false;
  state.life = { phase: "turn", turn: { ...turn, echo: turn.echo.slice(text.length) } };
  return true;
}
