// SPDX-License-Identifier: MIT OR Apache-2.0
// Assigns messages of the agent to their turn and message id.
import type { AgentUpdate } from "../../../acp-client/model.ts";
import { type AgentSigns, parentMember } from "./agent-signs.ts";
import type { Draft } from "./draft.ts";
import { currentTurn } from "./state.ts";

/** A message update, possibly joined from several chunks of one batch. */
export type MessageUpdate = Extract<AgentUpdate, { kind: "message" }> & { readonly chunks?: number };

/** Adds a message entry, unless it echoes the prompt. */
export function addMessage(draft: Draft, update: MessageUpdate, signs?: AgentSigns): void {
  const { state } = draft;
  if (update.role === "user" && consumeEcho(draft, update)) return;
  draft.add({
    kind: "message",
    ...currentTurn(state),
    role: update.role,
    message_id: findMessageId(draft, update),
    content: update.content,
    ...(update.append ? { append: true as const } : {}),
    ...(update.chunks === undefined ? {} : { chunks: update.chunks }),
    ...parentMember(signs),
    ...(update.meta === undefined ? {} : { _meta: update.meta }),
  });
}

/**
 * Returns the agent's message id. Without one, consecutive chunks of one role share an id derived from the seq of their
 * first entry, which no later agentd reuses.
 */
function findMessageId(draft: Draft, update: MessageUpdate): string {
  const { state } = draft;
  if (update.messageId !== undefined) {
    state.openMessage = null;
    return update.messageId;
  }
  if (state.openMessage?.role !== update.role) state.openMessage = { role: update.role, id: `m${state.seq + 1}` };
  return state.openMessage.id;
}

/** Drops what the agent echoes of the prompt, which the log already has. */
function consumeEcho(draft: Draft, update: MessageUpdate): boolean {
  const { state } = draft;
  if (state.run.phase !== "turn") return false;
  const { turn } = state.run;
  const text = update.content["text"];
  if (typeof text !== "string" || text === "" || !turn.echo.startsWith(text)) return false;
  state.run = { phase: "turn", turn: { ...turn, echo: turn.echo.slice(text.length) } };
  return true;
}
