// SPDX-License-Identifier: MIT OR Apache-2.0
// Answers to pending requests by commands. The first answer wins.
import type { ElicitationAnswer } from "../../../../acp-client/model.ts";
import { readForm, withDefaults } from "../../../people/form.ts";
import type { VerbArguments } from "../../../vocabulary/verbs.ts";
import { type Draft, refuse } from "../draft.ts";
import type { Command, Decision } from "../input.ts";
import type { PendingElicitation, PendingRequest, SessionState } from "../state.ts";
import { resolveElicitation } from "./elicitations.ts";
import { isOverdue } from "./pending-requests.ts";
import { resolvePermission } from "./permissions.ts";

/** Resolves a permission with an offered option, or cancels it when the command names none. */
export function decidePermissionAnswer(draft: Draft, command: Command<"agent.permission.answer">): Decision {
  const { request } = command.args;
  const pending = findPendingRequest(draft, request, "permission");
  if ("refusal" in pending) return pending;
  const option = "option" in command.args ? command.args.option : undefined;
  if (option !== undefined && !pending.options.some((offered) => offered.option === option)) {
    const options = pending.options.map((offered) => offered.option);
    return refuse("OPTION_UNKNOWN", "the agent did not offer that option", { request, option, options });
  }
  const seq = draft.command(command);
  resolvePermission(draft, pending, option === undefined ? "cancelled" : { option }, { by: command.by });
  draft.emitState();
  const outcome = option === undefined ? { outcome: "cancelled" } : { outcome: "selected", option };
  draft.accept(command, seq, { request, ...outcome });
  return draft.decision();
}

/** The verb has already checked the content against the form. */
export function decideElicitationAnswer(draft: Draft, command: Command<"agent.elicitation.answer">): Decision {
  const { request, action } = command.args;
  const pending = findPendingRequest(draft, request, "elicitation");
  if ("refusal" in pending) return pending;
  const seq = draft.command(command);
  resolveElicitation(draft, pending, toElicitationAnswer(pending, command.args), { by: command.by });
  draft.emitState();
  draft.accept(command, seq, { request, outcome: action });
  return draft.decision();
}

function toElicitationAnswer(
  { elicitation }: PendingElicitation,
  { action, content }: AnswerArguments,
): ElicitationAnswer {
  if (action !== "accept" || elicitation.mode === "url") return { action };
  return { action, content: withDefaults(readForm(elicitation.schema), content ?? {}) };
}

type AnswerArguments = VerbArguments<"agent.elicitation.answer">;
type Kind = PendingRequest["kind"];

function findPendingRequest<K extends Kind>(
  { state, context }: Draft,
  request: string,
  kind: K,
): Extract<PendingRequest, { kind: K }> | ReturnType<typeof refuse> {
  const pending = state.requests.find((candidate) => candidate.request === request);
  if (!pending) return refuseNotPending(state, request);
  if (hasKind(pending, kind)) return isOverdue(pending, context.now) ? refuseOverdue(request) : pending;
  return refuse("REQUEST_UNKNOWN", `the request is of another kind: answer it with agent.${pending.kind}.answer`, {
    request,
  });
}

/** The request's timer is about to resolve it. */
function refuseOverdue(request: string): ReturnType<typeof refuse> {
  return refuse("REQUEST_CLOSED", "the request has expired", { request, via: "timeout" });
}

function hasKind<K extends Kind>(pending: PendingRequest, kind: K): pending is Extract<PendingRequest, { kind: K }> {
  return pending.kind === kind;
}

function refuseNotPending(state: SessionState, request: string): ReturnType<typeof refuse> {
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
