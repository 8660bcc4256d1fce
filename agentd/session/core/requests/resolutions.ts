// SPDX-License-Identifier: MIT OR Apache-2.0
// Ends of requests that are nobody's answer, whatever was asked: none of them is ever a yes.
import type { ResolvedVia } from "../../../vocabulary/entries.ts";
import type { Draft } from "../draft.ts";
import type { PendingRequest } from "../state.ts";
import { resolveElicitation } from "./elicitations.ts";
import type { ResolvedBy } from "./pending-requests.ts";
import { expirePermission, resolvePermission } from "./permissions.ts";

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

/** The agent is gone: what it asked ends here, and no answer goes out. */
export function abandonAllRequests(draft: Draft): void {
  for (const pending of draft.state.requests) cancelRequest(draft, { ...pending, key: null }, { by: null, via: "end" });
}

/** Nobody answered in time. */
export function expireRequest(draft: Draft, pending: PendingRequest): void {
  if (pending.kind === "permission") expirePermission(draft, pending);
  else cancelRequest(draft, pending, { by: null, via: "timeout" });
}

/** The frame that tells the agent is written. */
export function emitSent(draft: Draft, request: string, turn: number | undefined): void {
  const { state } = draft;
  const sent = state.unsent.find((unsent) => unsent.request === request);
  if (!sent) return;
  state.unsent = state.unsent.filter((unsent) => unsent !== sent);
  draft.add({ kind: sent.kind, ...(turn === undefined ? {} : { turn }), request, phase: "sent" });
}

/** Answers that were never written, as the agent was gone before. They are not sent later. */
export function emitUnsent(draft: Draft): void {
  const { state } = draft;
  for (const { request, kind } of state.unsent) draft.add({ kind, request, phase: "unsent" });
  state.unsent = [];
}

/** Agentd died between the commit of an answer and that of its having been written: the agent may have used it. */
export function emitPossiblySent(draft: Draft): void {
  const { state } = draft;
  for (const { request, kind } of state.unsent) draft.add({ kind, request, phase: "sent", sent: "unknown" });
  state.unsent = [];
}
