// SPDX-License-Identifier: MIT OR Apache-2.0
// Ends of requests that are nobody's answer, whatever was asked: none of them is ever a yes.
import type { ResolvedVia } from "../../../vocabulary/entries.ts";
import type { Draft } from "../draft.ts";
import type { OpenRequest } from "../state.ts";
import { resolveElicitation } from "./elicitations.ts";
import type { Resolver } from "./open-requests.ts";
import { expirePermission, resolvePermission } from "./permissions.ts";

export function cancelRequest(draft: Draft, open: OpenRequest, who: Resolver): void {
  switch (open.kind) {
    case "permission":
      return resolvePermission(draft, open, "cancelled", who);
    case "elicitation":
      return resolveElicitation(draft, open, { action: "cancel" }, who);
  }
}

export function cancelAllRequests(draft: Draft, who: Resolver): void {
  for (const open of draft.state.requests) cancelRequest(draft, open, who);
}

export function endAllRequests(draft: Draft, via: ResolvedVia): void {
  cancelAllRequests(draft, { by: null, via });
}

/** The agent is gone: what it asked ends here, and no answer goes out. */
export function abandonAllRequests(draft: Draft): void {
  for (const open of draft.state.requests) cancelRequest(draft, { ...open, key: null }, { by: null, via: "end" });
}

/** Nobody answered in time. */
export function expireRequest(draft: Draft, open: OpenRequest): void {
  if (open.kind === "permission") expirePermission(draft, open);
  else cancelRequest(draft, open, { by: null, via: "timeout" });
}

/** The frame that tells the agent is written. */
export function noteSent(draft: Draft, request: string, turn: number | undefined): void {
  const { state } = draft;
  const sent = state.unsent.find((unsent) => unsent.request === request);
  if (!sent) return;
  state.unsent = state.unsent.filter((unsent) => unsent !== sent);
  draft.add({ kind: sent.kind, ...(turn === undefined ? {} : { turn }), request, phase: "sent" });
}

/** Answers that were never written, as the agent was gone before. They are not sent later. */
export function sayUnsent(draft: Draft): void {
  const { state } = draft;
  for (const { request, kind } of state.unsent) draft.add({ kind, request, phase: "unsent" });
  state.unsent = [];
}

/** Agentd died between the commit of an answer and that of its having been written: the agent may have used it. */
export function sayPerhapsSent(draft: Draft): void {
  const { state } = draft;
  for (const { request, kind } of state.unsent) draft.add({ kind, request, phase: "sent", sent: "unknown" });
  state.unsent = [];
}
