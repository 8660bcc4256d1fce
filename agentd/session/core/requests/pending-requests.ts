// SPDX-License-Identifier: MIT OR Apache-2.0
// What permissions and elicitations share: a number, a time limit, and that each is open once and closed once.
import type { ResolvedVia } from "../../../vocabulary/entries.ts";
import type { Draft } from "../draft.ts";
import type { SessionInput } from "../input.ts";
import { type ClosedRequest, currentTurn, type PendingRequest, type SessionState } from "../state.ts";
import { askPeople } from "./ask-people.ts";

/** Closed requests of a session that are remembered, so that a late answer is told who was first. */
const closedRequestsMax = 256;

/** Who ended a request: somebody by name, or what did it in nobody's stead. */
export interface ResolvedBy {
  readonly by: string | null;
  readonly via?: ResolvedVia;
  readonly why?: string;
}

/** The next request of the session. `key`: the client's own name for it. */
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

/** As entries and replies carry it. */
export function agentSessionMember(id: string | undefined): { readonly agent_session?: string } {
  return id === undefined ? {} : { agent_session: id };
}

export function addRequest(draft: Draft, pending: PendingRequest): void {
  const { state } = draft;
  state.requests = [...state.requests, pending];
  // Who waits for a person is not idle.
  if (state.run.phase === "idle") draft.effect({ type: "disarm", timer: "idle", key: "" });
}

/** What the log says of it: whether people are asked by their service. */
export function isNotified(draft: Draft, endsAtOnce: boolean): boolean {
  return !endsAtOnce && draft.context.people === "there";
}

/** From here somebody is waited for. */
export function armAndAsk(draft: Draft, pending: PendingRequest): void {
  const { kind, request } = pending;
  const { permissionTimeoutMs } = draft.context.settings;
  if (permissionTimeoutMs !== null) {
    draft.effect({ type: "arm", timer: kind, key: request, afterMs: permissionTimeoutMs });
  }
  askPeople(draft, pending);
}

/** By the clock: timers stand still while the machine sleeps. */
export function isOverdue({ expiresAt }: PendingRequest, now: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now;
}

const noInputs: readonly never[] = [];

/** The inputs that end what is overdue, as its timers would. */
export function findOverdue(
  { requests }: SessionState,
  now: number,
): readonly Extract<SessionInput, { type: "timer" }>[] {
  if (requests.length === 0) return noInputs; // as a rule, and asked at each input
  const overdue = requests.filter((pending) => isOverdue(pending, now));
  return overdue.map(({ kind, request }) => ({ type: "timer", timer: kind, key: request }));
}

/** True where the agent is to be told. */
export function closeRequest(
  draft: Draft,
  { kind, request, key, askedPeople }: PendingRequest,
  closed: ClosedRequest,
): boolean {
  const { state } = draft;
  state.requests = state.requests.filter((pending) => pending.request !== request);
  state.closedRequests = [...state.closedRequests, closed].slice(-closedRequestsMax);
  draft.effect({ type: "disarm", timer: kind, key: request });
  // What is over is not asked any more, for whatever reason it is.
  if (askedPeople) draft.effect({ type: "withdraw_ask", request, reason: closed.via ?? "answered" });
  if (state.run.phase === "idle" && state.requests.length === 0) draft.armIdle();
  if (key !== null) state.unsent = [...state.unsent, { request, kind }];
  return key !== null;
}

/** Why a new request ends at once; undefined where somebody may be asked. */
export function checkCanAsk(draft: Draft): Required<ResolvedBy> | undefined {
  const { state, context } = draft;
  if (state.run.phase === "draining" || (state.run.phase === "turn" && state.run.turn.cancelling)) {
    return { by: null, via: "cancel", why: "the turn is being cancelled" };
  }
  if (state.run.phase === "closing" || state.run.phase === "ended") {
    return { by: null, via: "end", why: "the session is ending" };
  }
  if (state.requests.length >= context.settings.openRequestsMax) {
    return { by: null, via: "end", why: "too many open requests in this session" };
  }
  return undefined;
}
