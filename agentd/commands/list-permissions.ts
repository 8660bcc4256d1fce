// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.permission.list: the open requests, oldest first.
import type { OpenRequest, PermissionListReply } from "../vocabulary/index.ts";
import type { SessionState } from "../session/state.ts";
import { findSession, type Handler, ok } from "./call.ts";

export const listPermissions: Handler<"agent.permission.list"> = (instance, { args }) => {
  if (args.session === undefined) return ok(reply(instance.sessions.live()));
  const session = findSession(instance, args.session);
  if (typeof session !== "string") return session;
  const state = instance.sessions.get(session);
  return ok(reply(state ? [state] : []));
};

function reply(states: readonly SessionState[]): PermissionListReply {
  const requests = states.flatMap(openRequests);
  return { requests: requests.toSorted((a, b) => (a.asked_at < b.asked_at ? -1 : a.asked_at > b.asked_at ? 1 : 0)) };
}

export function openRequests(state: SessionState): OpenRequest[] {
  return state.requests.map((open) => ({
    request: open.request,
    session: state.id,
    ...(open.turn === undefined ? {} : { turn: open.turn }),
    tool_call: open.toolCall,
    options: open.options,
    asked_at: open.askedAt,
    expires_at: open.expiresAt,
  }));
}
