// SPDX-License-Identifier: MIT OR Apache-2.0
// What the service `notify` has told of a request: a person's answer, or that nobody could be asked.
import { isAgentCitizen } from "../../../vocabulary/notify.ts";
import type { Draft } from "../draft.ts";
import { cut } from "../fit.ts";
import type { SessionInput } from "../input.ts";
import type { ClosedRequest, OpenRequest, SessionState } from "../state.ts";
import { choicesOf, editionOf } from "./asking.ts";
import { resolveElicitation } from "./elicitations.ts";
import { isOverdue, type Resolver } from "./open-requests.ts";
import { resolvePermission } from "./permissions.ts";

/** What the diagnostic is called that tells of an answer which was not used. */
export const unusedAnswer = "answer-unused";

/**
 * A person's answer: the first valid one wins. One that comes too late, or that nobody may give, changes nothing, and is
 * not lost in silence: who gave it believes that it counts.
 */
export function onPeopleAnswered(
  draft: Draft,
  before: SessionState,
  answer: Extract<SessionInput, { type: "people_answered" }>,
): void {
  const { request, option, by } = answer;
  const { state, context } = draft;
  const open = state.requests.find((candidate) => candidate.request === request);
  const isOutdated = open !== undefined && (answer.edition ?? 0) !== editionOf(open);
  const wrong = isOutdated
    ? "the agent had changed what it asks since that was shown"
    : open === undefined
      ? whyClosed(state, request)
      : whyNot(open, option, by, context.now);
  if (open !== undefined && wrong === undefined) {
    resolve(draft, open, option, { by: by ?? notifyName, via: "notify" });
    return draft.sayState(before);
  }
  const who = by === null ? "a person" : `a person (${by})`;
  draft.add({
    kind: "diagnostic",
    what: unusedAnswer,
    request,
    message: `${who} had answered ${JSON.stringify(cut(option, optionShownMax))} to ${request}: ${wrong ?? "it is closed"}`,
  });
  // One that was changed is asked anew already.
  if (!isOutdated) draft.effect({ type: "withdraw_ask", request, reason: "not used" });
}

/** People could not be asked after all. The request stays open for `agent.permission.answer`. */
export function onPeopleNotAsked(
  draft: Draft,
  { request, message }: Extract<SessionInput, { type: "people_not_asked" }>,
): void {
  if (!draft.state.requests.some((open) => open.request === request)) return;
  const told = `people could not be asked about ${request} by notify: ${message}`;
  draft.add({ kind: "diagnostic", what: "people-not-asked", request, message: told });
}

/** In the log where it was answered on the desktop: no citizen gave the answer. */
const notifyName = "notify";
const optionShownMax = 200;

function resolve(draft: Draft, open: OpenRequest, option: string, who: Resolver): void {
  if (open.kind === "permission") resolvePermission(draft, open, { option }, who);
  else resolveElicitation(draft, open, { action: option === "accept" ? "accept" : "decline" }, who);
}

function whyNot(open: OpenRequest, option: string, by: string | null, now: number): string | undefined {
  if (isOverdue(open, now)) return "the request's time was over before the answer came";
  // The service refuses them itself; whoever stands in for it might not.
  if (by !== null && isAgentCitizen(by)) return "an agent's own program may not answer for people";
  return choicesOf(open).some((offered) => offered.option === option) ? undefined : "that option was not offered";
}

function whyClosed(state: SessionState, request: string): string {
  const closed = state.closedRequests.find((candidate) => candidate.request === request);
  return closed === undefined || closed.via === "restart"
    ? "agentd was started again before it was used"
    : `the request was closed before, by ${closerOf(closed)}`;
}

function closerOf({ by, via }: ClosedRequest): string {
  return via === undefined ? (by ?? "somebody") : by === null ? via : `${via} (${by})`;
}
