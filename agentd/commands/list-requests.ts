// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.permission.list and agent.elicitation.list: what is open, oldest first.
import type { Answer } from "../../bus-client/index.ts";
import { elicitationFields } from "../session/elicitations.ts";
import { partsThatMayGo } from "../session/permissions.ts";
import { bytesOf, fit } from "../session/fit.ts";
import type { OpenRequest as Open, SessionState } from "../session/state.ts";
import { callLimits, type OpenElicitation, type OpenRequest } from "../vocabulary/index.ts";
import { type Call, findSession, type Handler, ok } from "./call.ts";
import type { Instance } from "./instance.ts";

export const listPermissions: Handler<"agent.permission.list"> = (instance, { args }) =>
  listed(instance, args, "permission");

export const listElicitations: Handler<"agent.elicitation.list"> = (instance, { args }) =>
  listed(instance, args, "elicitation");

/** Open questions as they are shown. `more`: not all of them. */
export interface Shown {
  readonly requests: readonly (OpenRequest | OpenElicitation)[];
  readonly more: boolean;
}

function listed(instance: Instance, args: Call<"agent.permission.list">["args"], kind: Open["kind"]): Answer {
  const { session, request } = args;
  const states = session === undefined ? instance.sessions.live() : stateOf(instance, session);
  if ("rc" in states) return states;
  const { requests, more } = shownRequests(
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
export function shownRequests(
  states: readonly SessionState[],
  wanted: (open: Open) => boolean,
  bytesMax: number,
): Shown {
  const whole = states.map((state) => ofSession(state, wanted, Infinity));
  if (bytesOf(whole) <= bytesMax) return inOrder(whole);
  const asking = states.filter(({ requests }) => requests.some(wanted));
  return inOrder(asking.map((state) => ofSession(state, wanted, bytesMax / asking.length)));
}

function inOrder(ofEach: readonly Shown[]): Shown {
  const requests = ofEach.flatMap((shown) => shown.requests);
  return {
    requests: requests.toSorted((a, b) => (a.asked_at < b.asked_at ? -1 : a.asked_at > b.asked_at ? 1 : 0)),
    more: ofEach.some(({ more }) => more),
  };
}

function ofSession({ id, requests }: SessionState, wanted: (open: Open) => boolean, bytesMax: number): Shown {
  const open = requests.filter(wanted);
  const shown: (OpenRequest | OpenElicitation)[] = [];
  let left = bytesMax;
  for (const [index, one] of open.entries()) {
    const fitted = shownIn(id, one, left / (open.length - index));
    left -= bytesOf(fitted);
    if (left < 0) return { requests: shown, more: true };
    shown.push(fitted);
  }
  return { requests: shown, more: false };
}

/** With as much of what the agent wrote as goes into so many bytes. */
function shownIn(session: string, open: Open, bytesMax: number): OpenRequest | OpenElicitation {
  const head = { request: open.request, session, ...(open.turn === undefined ? {} : { turn: open.turn }) };
  const times = { asked_at: open.askedAt, expires_at: open.expiresAt };
  if (open.kind === "elicitation") {
    const { value, leftOut } = fit(elicitationFields(open.asked), ["message", "schema", "url"], bytesMax - headBytes);
    return { kind: open.kind, ...head, ...value, ...times, ...namesOf(leftOut) };
  }
  const { options } = open;
  const { value, leftOut } = fit(open.toolCall, partsThatMayGo, bytesMax - headBytes - bytesOf(options));
  const all = [...open.leftOut, ...leftOut];
  return { kind: open.kind, ...head, tool_call: value, options, ...times, ...namesOf(all) };
}

function namesOf(names: readonly string[]): { readonly left_out?: readonly string[] } {
  return names.length === 0 ? {} : { left_out: names };
}

/** What stands around a tool call or an elicitation: names, times, the list of what is left out. */
const headBytes = 1024;
