// SPDX-License-Identifier: MIT OR Apache-2.0
// Elicitations, from request to resolution. Anything but a person's answer is a cancellation.
import type { AgentEvent } from "../../../../acp-client/agent-events.ts";
import type { Elicitation, ElicitationAnswer } from "../../../../acp-client/model.ts";
import type { Draft } from "../draft.ts";
import { measureFields } from "../bounded-fields.ts";
import { currentTurn, type ElicitationFields, type PendingElicitation } from "../state.ts";
import {
  armAndAsk,
  closeRequest,
  newRequest,
  isNotified,
  agentSessionMember,
  addRequest,
  type ResolvedBy,
  checkCanAsk,
} from "./pending-requests.ts";

/** Handles ACP's elicitation/create: logs it and asks people, or cancels it at once. */
export function requestElicitation(draft: Draft, event: Extract<AgentEvent, { type: "elicitation" }>): void {
  const { asked, agentSession } = event;
  const refusal = checkCanAsk(draft);
  const fields = toElicitationFields(asked);
  const listed = measureFields(fields, ["message", "schema", "url"]);
  const pending: PendingElicitation = {
    kind: "elicitation",
    ...newRequest(draft, event.request, agentSession),
    elicitation: asked,
    listed,
  };
  draft.add({
    kind: "elicitation",
    ...currentTurn(draft.state),
    request: pending.request,
    phase: "requested",
    ...agentSessionMember(agentSession),
    ...fields,
    now: pending.askedAt,
    expires_at: pending.expiresAt,
    notified: isNotified(draft, refusal !== undefined),
  });
  addRequest(draft, pending);
  if (refusal) resolveElicitation(draft, pending, { action: "cancel" }, refusal);
  else armAndAsk(draft, pending);
}

/** Logs the resolution and sends it to the agent after the commit. */
export function resolveElicitation(
  draft: Draft,
  pending: PendingElicitation,
  answer: ElicitationAnswer,
  resolvedBy: ResolvedBy,
): void {
  const { turn, request, key } = pending;
  const outcome = answer.action;
  const content = answer.action === "accept" && answer.content !== undefined ? { content: answer.content } : {};
  const where = turn === undefined ? {} : { turn };
  draft.add({ kind: "elicitation", ...where, request, phase: "resolved", outcome, ...content, ...resolvedBy });
  const { why: _, ...closer } = resolvedBy;
  const mustTellAgent = closeRequest(draft, pending, { request, outcome, ...closer });
  if (mustTellAgent && key !== null) draft.effect({ type: "answer_elicitation", request, key, answer });
}

function toElicitationFields(asked: Elicitation): ElicitationFields {
  const { mode, message, toolCallId } = asked;
  const of = toolCallId === undefined ? {} : { tool_call_id: toolCallId };
  if (asked.mode === "form") return { mode, message, schema: asked.schema, ...of };
  return { mode, message, url: asked.url, elicitation_id: asked.elicitationId, ...of };
}
