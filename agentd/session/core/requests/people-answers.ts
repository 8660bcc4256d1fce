// SPDX-License-Identifier: MIT OR Apache-2.0
// Reports of the service `notify`: a person's answer, or that nobody could be asked.
import { isAgentCitizen } from "../../../vocabulary/notify.ts";
import type { Draft } from "../draft.ts";
import { truncateText } from "../bounded-fields.ts";
import type { SessionInput } from "../input.ts";
import type { ClosedRequest, PendingRequest, SessionState } from "../state.ts";
import { fromOption } from "./answers.ts";
import { toNotifyOptions, editionOf } from "./ask-people.ts";
import { isOverdue, resolveRequest } from "./request-life.ts";

/** The `what` of the diagnostic about an answer that was not used. */
export const unusedAnswer = "answer-unused";

/** The first valid answer resolves the request. Others are logged as unused, since the person believes they counted. */
export function onPeopleAnswered(draft: Draft, answer: Extract<SessionInput, { type: "people_answered" }>): void {
  const { request, option, by } = answer;
  const { state, context } = draft;
  const pending = state.requests.find((candidate) => candidate.request === request);
  const isOutdated = pending !== undefined && (answer.edition ?? 0) !== editionOf(pending);
  const problem = isOutdated
    ? "the agent had changed the request since it was shown"
    : pending === undefined
      ? describeClosedRequest(state, request)
      : findAnswerProblem(pending, option, by, context.now);
  if (pending !== undefined && problem === undefined) {
    return resolveRequest(draft, pending, fromOption(pending, option), { by: by ?? notifyName, via: "notify" });
  }
  const who = by === null ? "a person" : `a person (${by})`;
  draft.add({
    kind: "diagnostic",
    what: unusedAnswer,
    request,
    message: `${who} answered ${JSON.stringify(truncateText(option, optionShownMax))} to ${request}: ${problem ?? "it is closed"}`,
  });
  // A changed request has already been asked again.
  if (!isOutdated) draft.effect({ type: "withdraw_ask", request, reason: "not used" });
}

/** Logs that people could not be asked. The request stays pending for `agent.permission.answer`. */
export function onPeopleNotAsked(
  draft: Draft,
  { request, message }: Extract<SessionInput, { type: "people_not_asked" }>,
): void {
  if (!draft.state.requests.some((pending) => pending.request === request)) return;
  const problem = `people could not be asked about ${request} by notify: ${message}`;
  draft.add({ kind: "diagnostic", what: "people-not-asked", request, message: problem });
}

/** Logged as `by` when the answer was given on the desktop and no citizen gave it. */
const notifyName = "notify";
const optionShownMax = 200;

function findAnswerProblem(
  pending: PendingRequest,
  option: string,
  by: string | null,
  now: number,
): string | undefined {
  if (isOverdue(pending, now)) return "the request had expired before the answer came";
  // notifyd refuses these itself, but another program may serve as `notify`.
  if (by !== null && isAgentCitizen(by)) return "an agent's own program may not answer for people";
  return toNotifyOptions(pending).some((offered) => offered.option === option)
    ? undefined
    : "that option was not offered";
}

function describeClosedRequest(state: SessionState, request: string): string {
  const closed = state.closedRequests.find((candidate) => candidate.request === request);
  return closed === undefined || closed.via === "restart"
    ? "agentd was restarted before it was used"
    : `the request was already closed by ${describeCloser(closed)}`;
}

function describeCloser({ by, via }: ClosedRequest): string {
  return via === undefined ? (by ?? "somebody") : by === null ? via : `${via} (${by})`;
}
