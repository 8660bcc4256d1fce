// SPDX-License-Identifier: MIT OR Apache-2.0
// Messages of the agent: to which turn and to which message each belongs.
import type { AgentUpdate } from "../../../acp-client/model.ts";
import type { Draft } from "./draft.ts";
import { currentTurn } from "./state.ts";

/** A message update, perhaps several chunks of one burst joined. */
export type MessageUpdate = Extract<AgentUpdate, { kind: "message" }> & { readonly chunks?: number };

export function addMessage(draft: Draft, update: MessageUpdate): void {
  const { state } = draft;
  if (update.role === "user" && isEcho(draft, update)) return;
  draft.add({
    kind: "message",
    ...currentTurn(state),
    role: update.role,
    message_id: findMessageId(draft, update),
    content: update.content,
    ...(update.append ? { append: true as const } : {}),
    ...(update.chunks === undefined ? {} : { chunks: update.chunks }),
    ...(update.meta === undefined ? {} : { _meta: update.meta }),
  });
}

/** The agent's own id; without one, an id for each run of one role, named for its first entry: no later agentd makes it again. */
function findMessageId(draft: Draft, update: MessageUpdate): string {
  const { state } = draft;
  if (update.messageId !== undefined) {
    state.openMessage = null;
    return update.messageId;
  }
  if (state.openMessage?.role !== update.role) state.openMessage = { role: update.role, id: `m${state.seq + 1}` };
  return state.openMessage.id;
}

/** The prompt is in the log already: an agent that repeats it says nothing new. */
function isEcho(draft: Draft, update: MessageUpdate): boolean {
  const { state } = draft;
  if (state.run.phase !== "turn") return false;
  const { turn } = state.run;
  const text = update.content["text"];
  if (typeof text !== "string" || text === "" || !turn.echo.startsWith(text)) return false;
  state.run = { phase: "turn", turn: { ...turn, echo: turn.echo.slice(text.length) } };
  return true;
}
