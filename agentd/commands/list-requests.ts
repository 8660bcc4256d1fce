// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.permission.list and agent.elicitation.list: what is open, oldest first.
import type { Answer } from "../../bus-client/index.ts";
import { elicitationFields } from "../session/elicitations.ts";
import type { OpenRequest as Open, SessionState } from "../session/state.ts";
import type { OpenElicitation, OpenRequest } from "../vocabulary/index.ts";
import { findSession, type Handler, ok } from "./call.ts";
import type { Instance } from "./instance.ts";

export const listPermissions: Handler<"agent.permission.list"> = (instance, { args }) =>
  listed(instance, args.session, "permission");

export const listElicitations: Handler<"agent.elicitation.list"> = (instance, { args }) =>
  listed(instance, args.session, "elicitation");

function listed(instance: Instance, reference: string | undefined, kind: Open["kind"]): Answer {
  if (reference === undefined) return reply(instance.sessions.live(), kind);
  const session = findSession(instance, reference);
  if (typeof session !== "string") return session;
  const state = instance.sessions.get(session);
  return reply(state ? [state] : [], kind);
}

function reply(states: readonly SessionState[], kind: Open["kind"]): Answer {
  const requests = states.flatMap(openRequests).filter((open) => open.kind === kind);
  return ok({
    requests: requests.toSorted((a, b) => (a.asked_at < b.asked_at ? -1 : a.asked_at > b.asked_at ? 1 : 0)),
  });
}

export function openRequests({ id, requests }: SessionState): (OpenRequest | OpenElicitation)[] {
  return requests.map((open) => {
    const head = { request: open.request, session: id, ...(open.turn === undefined ? {} : { turn: open.turn }) };
    const times = { asked_at: open.askedAt, expires_at: open.expiresAt };
    return open.kind === "permission"
      ? { kind: open.kind, ...head, tool_call: open.toolCall, options: open.options, ...times }
      : { kind: open.kind, ...head, ...elicitationFields(open.asked), ...times };
  });
}
