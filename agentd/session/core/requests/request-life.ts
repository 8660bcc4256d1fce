// SPDX-License-Identifier: MIT OR Apache-2.0
// The life of a permission or an elicitation: asked, then answered, withdrawn or timed out, then delivered to the agent.
// Each is asked once and resolved once.
import type { RequestAnswer } from "../../../../acp-client/model.ts";
import type { ElicitationEntry, EntryContent, PermissionEntry, ResolvedVia } from "../../../vocabulary/entries.ts";
import type { Draft } from "../draft.ts";
import type { SessionInput } from "../input.ts";
import { noteActivity } from "../silence.ts";
import { currentTurn, type PendingRequest, type RequestDetails, type SessionState } from "../state.ts";
import { toCancellation, toExpiry, toOutcome } from "./answers.ts";
import { askPeople } from "./ask-people.ts";

/** Number of closed requests remembered per session, so that a late answer is told who answered first. */
const closedRequestsMax = 256;

/** Who or what resolved a request: a citizen by name, or a cause such as a timeout (`via`). */
export interface ResolvedBy {
  readonly by: string | null;
  readonly via?: ResolvedVia;
  readonly why?: string;
}

/** A resolution that does not wait for people. Without an option it cancels. */
export type Verdict = ResolvedBy & { readonly option?: string };

export interface NewRequest {
  readonly details: RequestDetails;
  readonly key: number;
  readonly agentSession: string | undefined;
  /** The members of its entry that tell what is asked. */
  readonly fields: Partial<PermissionEntry> | Partial<ElicitationEntry>;
  readonly verdict: Verdict | undefined;
  /** Why the session's policy leaves the decision to a person. */
  readonly why?: string | undefined;
}

/** Logs the request, then asks people or resolves it at once. */
export function openRequest(draft: Draft, { details, key, agentSession, fields, verdict, why }: NewRequest): void {
  const { state, context } = draft;
  const { permissionTimeoutMs } = context.settings;
  state.requestCount += 1;
  const where = currentTurn(state);
  const pending: PendingRequest = {
    ...details,
    request: `${state.id}-${state.requestCount}`,
    key,
    ...(where.turn === undefined ? {} : { turn: where.turn }),
    askedAt: new Date(context.now).toISOString(),
    expiresAt: permissionTimeoutMs === null ? null : new Date(context.now + permissionTimeoutMs).toISOString(),
    ...(agentSession === undefined ? {} : { agentSession }),
  };
  const { kind, request } = pending;
  draft.add({
    kind,
    ...where,
    request,
    phase: "requested",
    ...agentSessionMember(agentSession),
    ...fields,
    now: pending.askedAt,
    expires_at: pending.expiresAt,
    notified: verdict === undefined && context.people === "there",
    ...(why === undefined ? {} : { why }),
  } as EntryContent);
  state.requests = [...state.requests, pending];
  // A session that waits for a person is not idle.
  if (state.run.phase === "idle") draft.effect({ type: "disarm", timer: "idle", key: "" });
  if (verdict) {
    const { option, ...resolvedBy } = verdict;
    const answer = option === undefined ? toCancellation(pending) : ({ outcome: "selected", option } as const);
    return resolveRequest(draft, pending, answer, resolvedBy);
  }
  if (permissionTimeoutMs !== null) {
    draft.effect({ type: "arm", timer: "request", key: request, afterMs: permissionTimeoutMs });
  }
  askPeople(draft, pending);
}

export function agentSessionMember(id: string | undefined): { readonly agent_session?: string } {
  return id === undefined ? {} : { agent_session: id };
}

/** Returns the resolution of a request that may not wait for an answer, or undefined when it may. */
export function checkCanAsk(draft: Draft): Verdict | undefined {
  const { state, context } = draft;
  const { run, queue } = state;
  const isSteering = run.phase === "draining" && queue.some(({ turn, steering }) => steering && turn === run.turn);
  if ((run.phase === "draining" && !isSteering) || (state.run.phase === "turn" && state.run.turn.cancelling)) {
    return { by: null, via: "cancel", why: "the turn is being cancelled" };
  }
  if (state.run.phase === "closing" || state.run.phase === "ended") {
    return { by: null, via: "end", why: "the session is ending" };
  }
  if (state.requests.length >= context.limits.openRequestsMax) {
    return { by: null, via: "end", why: "too many pending requests in this session" };
  }
  return undefined;
}

/** Logs the resolution and sends the answer to the agent after the commit. */
export function resolveRequest(
  draft: Draft,
  pending: PendingRequest,
  answer: RequestAnswer,
  resolvedBy: ResolvedBy,
): void {
  const { state } = draft;
  const { kind, turn, request, key, askedPeople } = pending;
  noteActivity(draft);
  const where = turn === undefined ? {} : { turn };
  const changed = kind === "permission" && pending.changed.length > 0 ? { changed: pending.changed } : {};
  draft.add({ kind, ...where, request, phase: "resolved", ...answer, ...resolvedBy, ...changed } as EntryContent);
  const { why: _, ...closer } = resolvedBy;
  state.requests = state.requests.filter((other) => other.request !== request);
  const closed = { request, ...toOutcome(answer), ...closer };
  state.closedRequests = [...state.closedRequests, closed].slice(-closedRequestsMax);
  draft.effect({ type: "disarm", timer: "request", key: request });
  // Withdraw the ask for any reason, so that nobody answers a closed request.
  if (askedPeople) draft.effect({ type: "withdraw_ask", request, reason: closer.via ?? "answered" });
  if (state.run.phase === "idle" && state.requests.length === 0) draft.armIdle();
  if (key === null) return;
  state.unsent = [...state.unsent, { request, kind }];
  draft.effect({ type: "answer_request", request, key, answer });
}

/** Ends a request without an answer. None of the ways to do so allows. */
export function cancelRequest(draft: Draft, pending: PendingRequest, resolvedBy: ResolvedBy): void {
  resolveRequest(draft, pending, toCancellation(pending), resolvedBy);
}

export function cancelAllRequests(draft: Draft, resolvedBy: ResolvedBy): void {
  for (const pending of draft.state.requests) cancelRequest(draft, pending, resolvedBy);
}

export function endAllRequests(draft: Draft, via: ResolvedVia): void {
  cancelAllRequests(draft, { by: null, via });
}

/** Cancels all requests of an agent that is gone, without sending it answers. */
export function abandonAllRequests(draft: Draft): void {
  for (const pending of draft.state.requests) cancelRequest(draft, { ...pending, key: null }, { by: null, via: "end" });
}

export function expireRequest(draft: Draft, pending: PendingRequest): void {
  resolveRequest(draft, pending, toExpiry(pending), { by: null, via: "timeout" });
}

/** Compares with the clock, because timers stop while the machine sleeps. */
export function isOverdue({ expiresAt }: PendingRequest, now: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now;
}

/** Returns the timer inputs that end overdue requests before their timers fire. */
export function findOverdue(
  { requests }: SessionState,
  now: number,
): readonly Extract<SessionInput, { type: "timer" }>[] {
  const overdue = requests.filter((pending) => isOverdue(pending, now));
  return overdue.map(({ request }) => ({ type: "timer", timer: "request", key: request }));
}

/** Logs that the answer was written to the agent. */
export function emitSent(draft: Draft, request: string, turn: number | undefined): void {
  const { state } = draft;
  const sent = state.unsent.find((unsent) => unsent.request === request);
  if (!sent) return;
  state.unsent = state.unsent.filter((unsent) => unsent !== sent);
  draft.add({ kind: sent.kind, ...(turn === undefined ? {} : { turn }), request, phase: "sent" });
}

/** Logs answers that the agent's end kept from being written. They are not sent later. */
export function emitUnsent(draft: Draft): void {
  const { state } = draft;
  for (const { request, kind } of state.unsent) draft.add({ kind, request, phase: "unsent" });
  state.unsent = [];
}

/** Logs answers for which agentd died between committing and writing: the agent may have used them. */
export function emitPossiblySent(draft: Draft): void {
  const { state } = draft;
  for (const { request, kind } of state.unsent) draft.add({ kind, request, phase: "sent", sent: "unknown" });
  state.unsent = [];
}
