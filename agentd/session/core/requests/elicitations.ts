// SPDX-License-Identifier: MIT OR Apache-2.0
// Elicitations: what the agent asks, as entries and replies carry it.
import type { AgentEvent } from "../../../../acp-client/agent-events.ts";
import type { Elicitation } from "../../../../acp-client/model.ts";
import type { ElicitationEntry } from "../../../vocabulary/entries.ts";
import type { Draft } from "../draft.ts";
import { checkCanAsk, openRequest } from "./request-life.ts";

/** Handles ACP's elicitation/create. */
export function requestElicitation(draft: Draft, event: Extract<AgentEvent, { type: "elicitation" }>): void {
  const { asked, request: key, agentSession } = event;
  const details = { kind: "elicitation", elicitation: asked } as const;
  openRequest(draft, { details, key, agentSession, fields: toElicitationFields(asked), verdict: checkCanAsk(draft) });
}

export type ElicitationFields = Pick<
  ElicitationEntry,
  "message" | "schema" | "url" | "elicitation_id" | "tool_call_id"
> & {
  readonly mode: "form" | "url";
};

export function toElicitationFields(asked: Elicitation): ElicitationFields {
  const { mode, message, toolCallId } = asked;
  const of = toolCallId === undefined ? {} : { tool_call_id: toolCallId };
  if (asked.mode === "form") return { mode, message, schema: asked.schema, ...of };
  return { mode, message, url: asked.url, elicitation_id: asked.elicitationId, ...of };
}
