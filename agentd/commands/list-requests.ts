// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.permission.list and agent.elicitation.list: what is open, oldest first.
import type { Answer } from "../../bus-client/index.ts";
import { fit } from "../session/core/fit.ts";
import { ofAgentSession } from "../session/core/requests/open-requests.ts";
import type { OpenRequest as Open, SessionState } from "../session/core/state.ts";
import { callLimits, type ListedElicitation, type ListedPermission } from "../vocabulary/index.ts";
import { type Call, findSession, type Handler, ok } from "./call.ts";
import type { Instance } from "./instance.ts";

export const listPermissions: Handler<"agent.permission.list"> = (instance, { args }) =>
  answerList(instance, args, "permission");

export const listElicitations: Handler<"agent.elicitation.list"> = (instance, { args }) =>
  answerList(instance, args, "elicitation");

/** Open questions as they are shown. `more`: not all of them. */
export interface RequestList {
  readonly requests: readonly (ListedPermission | ListedElicitation)[];
  readonly more: boolean;
}

function answerList(instance: Instance, args: Call<"agent.permission.list">["args"], kind: Open["kind"]): Answer {
  const { session, request } = args;
  const states = session === undefined ? instance.sessions.live() : stateOf(instance, session);
  if ("rc" in states) return states;
  const { requests, more } = listOpenRequests(
    states,
    (open) => open.kind === kind && (request === undefined || open.request === request),
    callLimits.questionsBytesMax,
  );
  return ok(more ? { requests, more } : { requests });
}

function stateOf(instance: Instance, reference: string): readonly SessionState[] | Answer {
  const session = findSession(instance, reference);
  if (typeof session !== "string") return session;
  const state = instance.sessions.get(session);
  return state ? [state] : [];
}

/**
 * All of them whole, where that fits. Else each session has an equal part of the bytes, and in it each question: one
 * agent's long questions take nothing from what others ask.
 */
export function listOpenRequests(
  states: readonly SessionState[],
  wanted: (open: Open) => boolean,
  bytesMax: number,
): RequestList {
  const asking = states
    .map(({ id, requests }) => ({ session: id, open: requests.filter(wanted) }))
    .filter(({ open }) => open.length > 0);
  const bytes = asking.flatMap(({ open }) => open).reduce((sum, one) => sum + bytesAround(one) + one.shown.bytes, 0);
  const bytesOfEach = bytes <= bytesMax ? Infinity : bytesMax / asking.length;
  const shown = asking.map(({ session, open }) => listSessionRequests(session, open, bytesOfEach));
  const requests = shown.flatMap((one) => one.requests);
  return {
    requests: requests.toSorted((a, b) => (a.asked_at < b.asked_at ? -1 : a.asked_at > b.asked_at ? 1 : 0)),
    more: shown.some(({ more }) => more),
  };
}

function listSessionRequests(session: string, open: readonly Open[], bytesMax: number): RequestList {
  const requests: (ListedPermission | ListedElicitation)[] = [];
  let left = bytesMax;
  for (const [index, one] of open.entries()) {
    const { request, bytes } = requestWithin(session, one, left / (open.length - index));
    left -= bytes;
    if (left < 0) return { requests, more: true };
    requests.push(request);
  }
  return { requests, more: false };
}

/** With as much of what the agent wrote as goes into so many bytes. */
function requestWithin(
  session: string,
  open: Open,
  bytesMax: number,
): { readonly request: ListedPermission | ListedElicitation; readonly bytes: number } {
  const turn = open.turn === undefined ? {} : { turn: open.turn };
  const head = { request: open.request, session, ...turn, ...ofAgentSession(open.agentSession) };
  const times = { asked_at: open.askedAt, expires_at: open.expiresAt };
  const around = bytesAround(open);
  if (open.kind === "elicitation") {
    const { value, bytes, leftOut } = fit(open.shown, bytesMax - around);
    const request = { kind: open.kind, ...head, ...value, ...times, ...namesOf(leftOut) };
    return { request, bytes: around + bytes };
  }
  const { value, bytes, leftOut } = fit(open.shown, bytesMax - around);
  const all = namesOf([...open.leftOut, ...leftOut]);
  const changed = open.changed.length === 0 ? {} : { changed: open.changed };
  const request = { kind: open.kind, ...head, tool_call: value, options: open.options, ...times, ...changed, ...all };
  return { request, bytes: around + bytes };
}

function namesOf(names: readonly string[]): { readonly left_out?: readonly string[] } {
  return names.length === 0 ? {} : { left_out: names };
}

function bytesAround(open: Open): number {
  return headBytes + (open.kind === "permission" ? open.optionsBytes : 0);
}

/** Names, times, the list of what is left out. */
const headBytes = 1024;
