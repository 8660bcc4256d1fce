// SPDX-License-Identifier: MIT OR Apache-2.0
// Ways in which any request ends without an answer. None of them allows.
import type { ResolvedVia } from "../../../vocabulary/entries.ts";
import type { Draft } from "../draft.ts";
import type { PendingRequest } from "../state.ts";
import { resolveElicitation } from "./elicitations.ts";
import type { ResolvedBy } from "./pending-requests.ts";
import { expirePermission, resolvePermission } from "./permissions.ts";

/** Cancels one request, which ACP knows as the outcome `cancelled` or the action `cancel`. */
export function cancelRequest(draft: Draft, pending: PendingRequest, resolvedBy: ResolvedBy): void {
  switch (pending.kind) {
    case "permission":
      return resolvePermission(draft, pending, "cancelled", resolvedBy);
    case "elicitation":
      return resolveElicitation(draft, pending, { action: "cancel" }, resolvedBy);
  }
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

/** Ends a request that nobody answered in time. It never allows. */
export function expireRequest(draft: Draft, pending: PendingRequest): void {
  if (pending.kind === "permission") expirePermission(draft, pending);
  else cancelRequest(draft, pending, { by: null, via: "timeout" });
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
