// SPDX-License-Identifier: MIT OR Apache-2.0
// What permissions and elicitations share: id, expiry, and that each is opened once and closed once.
import type { ResolvedVia } from "../../../vocabulary/entries.ts";
import type { Draft } from "../draft.ts";
import type { SessionInput } from "../input.ts";
import { type ClosedRequest, currentTurn, type PendingRequest, type SessionState } from "../state.ts";
import { askPeople } from "./ask-people.ts";

/** Number of closed requests remembered per session, so that a late answer is told who answered first. */
const closedRequestsMax = 256;

/** Who or what resolved a request: a citizen by name, or a cause such as a timeout (`via`). */
export interface ResolvedBy {
  readonly by: string | null;
  readonly via?: ResolvedVia;
  readonly why?: string;
}

/** Creates the members that every request has. `key`: the ACP client's number for it. */
export function newRequest(draft: Draft, key: number, agentSession: string | undefined) {
  const { state, context } = draft;
  const { permissionTimeoutMs } = context.settings;
  state.requestCount += 1;
  const { turn } = currentTurn(state);
  return {
    request: `${state.id}-${state.requestCount}`,
    key,
    ...(turn === undefined ? {} : { turn }),
    askedAt: new Date(context.now).toISOString(),
    expiresAt: permissionTimeoutMs === null ? null : new Date(context.now + permissionTimeoutMs).toISOString(),
    ...(agentSession === undefined ? {} : { agentSession }),
  };
}

/** Returns `agent_session` as a member of an entry or a reply. */
export function agentSessionMember(id: string | undefined): { readonly agent_session?: string } {
  return id === undefined ? {} : { agent_session: id };
}

/** Adds a pending request and stops the idle timer. */
export function addRequest(draft: Draft, pending: PendingRequest): void {
  const { state } = draft;
  state.requests = [...state.requests, pending];
  // A session that waits for a person is not idle.
  if (state.run.phase === "idle") draft.effect({ type: "disarm", timer: "idle", key: "" });
}

/** Returns what the request's entry reports: whether people are asked through `notify`. */
export function isNotified(draft: Draft, endsAtOnce: boolean): boolean {
  return !endsAtOnce && draft.context.people === "there";
}

/** Arms the expiry timer and asks people. */
export function armAndAsk(draft: Draft, pending: PendingRequest): void {
  const { kind, request } = pending;
  const { permissionTimeoutMs } = draft.context.settings;
  if (permissionTimeoutMs !== null) {
    draft.effect({ type: "arm", timer: kind, key: request, afterMs: permissionTimeoutMs });
  }
  askPeople(draft, pending);
}

/** Compares with the clock, because timers stop while the machine sleeps. */
export function isOverdue({ expiresAt }: PendingRequest, now: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now;
}

const noInputs: readonly never[] = [];

/** Returns the timer inputs that end overdue requests before their timers fire. */
export function findOverdue(
  { requests }: SessionState,
  now: number,
): readonly Extract<SessionInput, { type: "timer" }>[] {
  if (requests.length === 0) return noInputs; // as a rule, and asked at each input
  const overdue = requests.filter((pending) => isOverdue(pending, now));
  return overdue.map(({ kind, request }) => ({ type: "timer", timer: kind, key: request }));
}

/** Removes a pending request. Returns whether its answer must be sent to the agent. */
export function closeRequest(
  draft: Draft,
  { kind, request, key, askedPeople }: PendingRequest,
  closed: ClosedRequest,
): boolean {
  const { state } = draft;
  state.requests = state.requests.filter((pending) => pending.request !== request);
  state.closedRequests = [...state.closedRequests, closed].slice(-closedRequestsMax);
  draft.effect({ type: "disarm", timer: kind, key: request });
  // Withdraw the ask for any reason, so that nobody answers a closed request.
  if (askedPeople) draft.effect({ type: "withdraw_ask", request, reason: closed.via ?? "answered" });
  if (state.run.phase === "idle" && state.requests.length === 0) draft.armIdle();
  if (key !== null) state.unsent = [...state.unsent, { request, kind }];
  return key !== null;
}

/** Returns the resolution of a request that may not wait for an answer, or undefined when it may. */
export function checkCanAsk(draft: Draft): Required<ResolvedBy> | undefined {
  const { state, context } = draft;
  if (state.run.phase === "draining" || (state.run.phase === "turn" && state.run.turn.cancelling)) {
    return { by: null, via: "cancel", why: "the turn is being cancelled" };
  }
  if (state.run.phase === "closing" || state.run.phase === "ended") {
    return { by: null, via: "end", why: "the session is ending" };
  }
  if (state.requests.length >= context.settings.openRequestsMax) {
    return { by: null, via: "end", why: "too many pending requests in this session" };
  }
  return undefined;
}
