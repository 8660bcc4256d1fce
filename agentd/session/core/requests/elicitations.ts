// SPDX-License-Identifier: MIT OR Apache-2.0
// An elicitation from the agent's question to its one answer. What is nobody's answer is a cancellation.
import type { AgentEvent } from "../../../../acp-client/agent-events.ts";
import type { Elicitation, ElicitationAnswer } from "../../../../acp-client/model.ts";
import type { Draft } from "../draft.ts";
import { measure } from "../fit.ts";
import { currentTurn, type ElicitationFields, type OpenElicitation } from "../state.ts";
import {
  awaitAnswer,
  closeRequest,
  newRequest,
  notified,
  ofAgentSession,
  openRequest,
  type Resolver,
  whyNobodyIsAsked,
} from "./open-requests.ts";

export function requestElicitation(draft: Draft, event: Extract<AgentEvent, { type: "elicitation" }>): void {
  const { asked, agentSession } = event;
  const refusedBecause = whyNobodyIsAsked(draft);
  const fields = elicitationFields(asked);
  const shown = measure(fields, ["message", "schema", "url"]);
  const open: OpenElicitation = {
    kind: "elicitation",
    ...newRequest(draft, event.request, agentSession),
    asked,
    shown,
  };
  draft.add({
    kind: "elicitation",
    ...currentTurn(draft.state),
    request: open.request,
    phase: "requested",
    ...ofAgentSession(agentSession),
    ...fields,
    now: open.askedAt,
    expires_at: open.expiresAt,
    notified: notified(draft, refusedBecause !== undefined),
  });
  openRequest(draft, open);
  if (refusedBecause) resolveElicitation(draft, open, { action: "cancel" }, refusedBecause);
  else awaitAnswer(draft, open);
}

/** Ends one request: logged now, told to the agent afterwards. */
export function resolveElicitation(
  draft: Draft,
  open: OpenElicitation,
  answer: ElicitationAnswer,
  who: Resolver,
): void {
  const { turn, request, key } = open;
  const outcome = answer.action;
  const content = answer.action === "accept" && answer.content !== undefined ? { content: answer.content } : {};
  const where = turn === undefined ? {} : { turn };
  draft.add({ kind: "elicitation", ...where, request, phase: "resolved", outcome, ...content, ...who });
  const { why: _, ...closer } = who;
  const isTold = closeRequest(draft, open, { request, outcome, ...closer });
  if (isTold && key !== null) draft.effect({ type: "answer_elicitation", request, key, answer });
}

function elicitationFields(asked: Elicitation): ElicitationFields {
  const { mode, message, toolCallId } = asked;
  const of = toolCallId === undefined ? {} : { tool_call_id: toolCallId };
  if (asked.mode === "form") return { mode, message, schema: asked.schema, ...of };
  return { mode, message, url: asked.url, elicitation_id: asked.elicitationId, ...of };
}
