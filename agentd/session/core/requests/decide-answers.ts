// SPDX-License-Identifier: MIT OR Apache-2.0
// Answers of people and programs to what agents ask. The first one counts.
import type { ElicitationAnswer } from "../../../../acp-client/model.ts";
import { readForm, withDefaults } from "../../../people/form.ts";
import type { VerbArguments } from "../../../vocabulary/verbs.ts";
import { type Draft, refuse } from "../draft.ts";
import type { Command, Decision } from "../input.ts";
import type { OpenElicitation, OpenRequest, SessionState } from "../state.ts";
import { resolveElicitation } from "./elicitations.ts";
import { isOverdue } from "./open-requests.ts";
import { resolvePermission } from "./permissions.ts";

export function decidePermissionAnswer(
  draft: Draft,
  before: SessionState,
  command: Command<"agent.permission.answer">,
): Decision {
  const { request } = command.args;
  const open = openRequestOf(draft, request, "permission");
  if ("refusal" in open) return open;
  const option = "option" in command.args ? command.args.option : undefined;
  if (option !== undefined && !open.options.some((offered) => offered.option === option)) {
    const options = open.options.map((offered) => offered.option);
    return refuse("OPTION_UNKNOWN", "the agent did not offer that option", { request, option, options });
  }
  const seq = draft.command(command);
  resolvePermission(draft, open, option === undefined ? "cancelled" : { option }, { by: command.by });
  draft.sayState(before);
  const outcome = option === undefined ? { outcome: "cancelled" } : { outcome: "selected", option };
  draft.accept(command, seq, { request, ...outcome });
  return draft.decision();
}

/** That the content is what the form asks for was looked at before. */
export function decideElicitationAnswer(
  draft: Draft,
  before: SessionState,
  command: Command<"agent.elicitation.answer">,
): Decision {
  const { request, action } = command.args;
  const open = openRequestOf(draft, request, "elicitation");
  if ("refusal" in open) return open;
  const seq = draft.command(command);
  resolveElicitation(draft, open, answerOf(open, command.args), { by: command.by });
  draft.sayState(before);
  draft.accept(command, seq, { request, outcome: action });
  return draft.decision();
}

function answerOf({ asked }: OpenElicitation, { action, content }: AnswerArguments): ElicitationAnswer {
  if (action !== "accept" || asked.mode === "url") return { action };
  return { action, content: withDefaults(readForm(asked.schema), content ?? {}) };
}

type AnswerArguments = VerbArguments<"agent.elicitation.answer">;
type Kind = OpenRequest["kind"];

function openRequestOf<K extends Kind>(
  { state, context }: Draft,
  request: string,
  kind: K,
): Extract<OpenRequest, { kind: K }> | ReturnType<typeof refuse> {
  const open = state.requests.find((candidate) => candidate.request === request);
  if (!open) return notOpen(state, request);
  if (isOfKind(open, kind)) return isOverdue(open, context.now) ? overdue(request) : open;
  return refuse("REQUEST_UNKNOWN", `the request is of another kind: agent.${open.kind}.answer answers it`, { request });
}

/** Its timer is about to say so to the agent. */
function overdue(request: string): ReturnType<typeof refuse> {
  return refuse("REQUEST_CLOSED", "the request's time is over", { request, via: "timeout" });
}

function isOfKind<K extends Kind>(open: OpenRequest, kind: K): open is Extract<OpenRequest, { kind: K }> {
  return open.kind === kind;
}

function notOpen(state: SessionState, request: string): ReturnType<typeof refuse> {
  const closed = state.closedRequests.find((candidate) => candidate.request === request);
  if (closed) {
    const { outcome, option, by, via } = closed;
    const who = by ?? (via === undefined ? "somebody" : via);
    return refuse("REQUEST_CLOSED", `the request was closed before, by ${who}: ${option ?? outcome}`, {
      request,
      outcome,
      option,
      by,
      via,
    });
  }
  const number = Number(request.slice(state.id.length + 1));
  if (Number.isSafeInteger(number) && number >= 1 && number <= state.requestCount) {
    return refuse("REQUEST_CLOSED", "the request was closed before: the session's log says how", { request });
  }
  return refuse("REQUEST_UNKNOWN", "no such request", { request });
}
