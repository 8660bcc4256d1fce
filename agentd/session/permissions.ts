// SPDX-License-Identifier: MIT OR Apache-2.0
// A permission from the agent's question to its one answer. Whatever is not somebody's yes is never a yes.
import type { AgentEvent } from "../../acp-client/agent-client.ts";
import type { PermissionOutcome } from "../../acp-client/model.ts";
import type { PermissionChoice, ResolvedVia } from "../vocabulary/index.ts";
import { askPeople, withdrawAsk } from "./asking.ts";
import type { Draft } from "./draft.ts";
import { armIdle } from "./idle.ts";
import { toolCallFields } from "./map-update.ts";
import { makeRoom } from "./messages.ts";
import { currentTurn, type OpenPermission } from "./state.ts";
import { findTool, noteTool } from "./tool-ledger.ts";

/** Closed requests of a session that are remembered, so that a late answer is told who was first. */
const closedRequestsMax = 256;

/** `option` as offered, or a cancellation. */
export type Answer = { readonly option: string } | "cancelled";

export function requestPermission(draft: Draft, event: Extract<AgentEvent, { type: "permission" }>): void {
  const { state, context } = draft;
  const { settings } = context;
  const where = currentTurn(state);
  const call = toolCallFields(event.toolCall);
  // Some agents never announce the call: the question is its first sight.
  if (!findTool(state.tools, call.tool_call_id)) {
    makeRoom(draft);
    const status = call.status ?? "pending";
    draft.add({ kind: "tool_call", ...where, ...call, status });
    state.tools = noteTool(state.tools, call.tool_call_id, where.turn, status);
  }
  state.requestCount += 1;
  const request = `${state.id}-${state.requestCount}`;
  const options = event.options.map(({ optionId, name, kind }) => ({ option: optionId, name, kind }));
  const refusedBecause = whyNobodyIsAsked(draft);
  const { permissionTimeoutMs } = settings;
  const askedAt = new Date(context.now).toISOString();
  const expiresAt = permissionTimeoutMs === null ? null : new Date(context.now + permissionTimeoutMs).toISOString();
  draft.add({
    kind: "permission",
    ...where,
    request,
    phase: "requested",
    tool_call: call,
    options,
    now: askedAt,
    expires_at: expiresAt,
    notified: refusedBecause === undefined && context.people === "there",
  });
  const open: OpenPermission = {
    request,
    key: event.request,
    ...(where.turn === undefined ? {} : { turn: where.turn }),
    toolCall: call,
    options,
    askedAt,
    expiresAt,
  };
  state.requests = [...state.requests, open];
  // Who waits for a person is not idle.
  if (state.life.phase === "idle") draft.effect({ type: "disarm", timer: "idle", key: "" });
  if (refusedBecause) {
    resolvePermission(draft, open, "cancelled", refusedBecause);
    return;
  }
  if (permissionTimeoutMs !== null) {
    draft.effect({ type: "arm", timer: "permission", key: request, afterMs: permissionTimeoutMs });
  }
  askPeople(draft, open);
}

/** Ends one request: logged now, told to the agent afterwards. */
export function resolvePermission(
  draft: Draft,
  open: OpenPermission,
  answer: Answer,
  who: { readonly by: string | null; readonly via?: ResolvedVia; readonly why?: string },
): void {
  const { state } = draft;
  const outcome = answer === "cancelled" ? "cancelled" : "selected";
  const option = answer === "cancelled" ? {} : { option: answer.option };
  const via = who.via === undefined ? {} : { via: who.via };
  draft.add({
    kind: "permission",
    ...(open.turn === undefined ? {} : { turn: open.turn }),
    request: open.request,
    phase: "resolved",
    outcome,
    ...option,
    ...via,
    by: who.by,
    ...(who.why === undefined ? {} : { why: who.why }),
  });
  state.requests = state.requests.filter(({ request }) => request !== open.request);
  const closed = { request: open.request, outcome, ...option, by: who.by, ...via } as const;
  state.closedRequests = [...state.closedRequests, closed].slice(-closedRequestsMax);
  draft.effect({ type: "disarm", timer: "permission", key: open.request });
  withdrawAsk(draft, open, who.via ?? "answered");
  if (state.life.phase === "idle" && state.requests.length === 0) armIdle(draft);
  if (open.key === null) return;
  state.unsent = [...state.unsent, open.request];
  const wire: PermissionOutcome = answer === "cancelled" ? "cancelled" : { optionId: answer.option };
  draft.effect({ type: "answer_permission", request: open.request, key: open.key, outcome: wire });
}

export function resolveAllPermissions(draft: Draft, via: ResolvedVia): void {
  for (const open of draft.state.requests) resolvePermission(draft, open, "cancelled", { by: null, via });
}

/** The agent is gone: what it asked ends here, and no answer goes out. */
export function abandonAllPermissions(draft: Draft): void {
  for (const open of draft.state.requests) {
    resolvePermission(draft, { ...open, key: null }, "cancelled", { by: null, via: "end" });
  }
}

/** Of answers that were to go out: the agent is gone, or agentd was, before that was done. They are never sent later. */
export function sayUnsent(draft: Draft): void {
  const { state } = draft;
  for (const request of state.unsent) draft.add({ kind: "permission", request, phase: "unsent" });
  state.unsent = [];
}

/** Nobody answered in time: the agent's own way to say no once, else a cancellation. */
export function expirePermission(draft: Draft, open: OpenPermission): void {
  const rejection = rejectOnce(open.options);
  resolvePermission(draft, open, rejection ? { option: rejection.option } : "cancelled", { by: null, via: "timeout" });
}

/** Chosen by kind alone, never by position, id or text. */
function rejectOnce(options: readonly PermissionChoice[]): PermissionChoice | undefined {
  return options.find(({ kind }) => kind === "reject_once");
}

function whyNobodyIsAsked(draft: Draft): { by: null; via: ResolvedVia; why: string } | undefined {
  const { state, context } = draft;
  if (state.life.phase === "draining" || (state.life.phase === "turn" && state.life.turn.cancelling)) {
    return { by: null, via: "cancel", why: "the turn is being cancelled" };
  }
  if (state.life.phase === "closing" || state.life.phase === "ended") {
    return { by: null, via: "end", why: "the session is ending" };
  }
  if (state.requests.length >= context.settings.openRequestsMax) {
    return { by: null, via: "end", why: "too many open requests in this session" };
  }
  return undefined;
}
