// SPDX-License-Identifier: MIT OR Apache-2.0
// Answers to pending requests by commands. The first answer wins.
import type { RequestAnswer } from "../../../../acp-client/model.ts";
import { readForm, withDefaults } from "../../../people/form.ts";
import { type Draft, refuse } from "../draft.ts";
import type { Command, RefusedDecision } from "../input.ts";
import type { PendingRequest, SessionState } from "../state.ts";
import { toCancellation, toOutcome } from "./answers.ts";
import { isOverdue, resolveRequest } from "./request-life.ts";

type AnswerCommand = Command<"agent.permission.answer"> | Command<"agent.elicitation.answer">;

export function decideAnswer(draft: Draft, command: AnswerCommand): RefusedDecision | void {
  const { state, context } = draft;
  const { request } = command.args;
  const pending = state.requests.find((candidate) => candidate.request === request);
  if (!pending) return refuseNotPending(state, request);
  const verb = `agent.${pending.kind}.answer`;
  if (command.verb !== verb) {
    return refuse("REQUEST_UNKNOWN", `the request is of another kind: answer it with ${verb}`, { request });
  }
  // Its timer is about to resolve it.
  if (isOverdue(pending, context.now)) {
    return refuse("REQUEST_CLOSED", "the request has expired", { request, via: "timeout" });
  }
  const answer = readAnswer(pending, command.args);
  if ("refusal" in answer) return answer;
  const seq = draft.command(command);
  resolveRequest(draft, pending, answer, { by: command.by });
  draft.accept(command, seq, { request, ...toOutcome(answer) });
}

/** The verb has already checked a form's content. */
function readAnswer(pending: PendingRequest, args: AnswerCommand["args"]): RequestAnswer | RefusedDecision {
  if (pending.kind === "elicitation" && "action" in args) {
    const { action: outcome, content } = args;
    if (outcome !== "accept" || pending.elicitation.mode === "url") return { outcome };
    return { outcome, content: withDefaults(readForm(pending.elicitation.schema), content ?? {}) };
  }
  if (pending.kind !== "permission" || !("option" in args)) return toCancellation(pending);
  const { option } = args;
  const options = pending.options.map((offered) => offered.option);
  if (options.includes(option)) return { outcome: "selected", option };
  const { request } = pending;
  return refuse("OPTION_UNKNOWN", "the agent did not offer that option", { request, option, options });
}

function refuseNotPending(state: SessionState, request: string): RefusedDecision {
  const closed = state.closedRequests.find((candidate) => candidate.request === request);
  if (closed) {
    const { outcome, option, by, via } = closed;
    const who = by ?? (via === undefined ? "somebody" : via);
    return refuse("REQUEST_CLOSED", `the request was already closed by ${who}: ${option ?? outcome}`, {
      request,
      outcome,
      option,
      by,
      via,
    });
  }
  const number = Number(request.slice(state.id.length + 1));
  if (Number.isSafeInteger(number) && number >= 1 && number <= state.requestCount) {
    return refuse("REQUEST_CLOSED", "the request was already closed: see the session's log", { request });
  }
  return refuse("REQUEST_UNKNOWN", "no such request", { request });
}
