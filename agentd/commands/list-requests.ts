// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.permission.list and agent.elicitation.list: the pending requests, oldest first.
import type { Elicitation } from "../../acp-client/model.ts";
import type { Answer } from "../../bus-client/index.ts";
import { boundFields, jsonBytes, measureFields } from "../session/core/bounded-fields.ts";
import { toElicitationFields } from "../session/core/requests/elicitations.ts";
import { agentSessionMember } from "../session/core/requests/request-life.ts";
import { subAgentMember } from "../session/core/requests/permissions.ts";
import { droppableMembers } from "../session/core/requests/requested-call.ts";
import type { PendingRequest as Open, SessionState } from "../session/core/state.ts";
import {
  callLimits,
  type ListedElicitation,
  type ListedPermission,
  type PermissionChoice,
  type ToolCallFields,
} from "../vocabulary/index.ts";
import { type Call, findSession, type Handler, ok } from "./call.ts";
import type { Instance } from "./instance.ts";

type Readers = Pick<Instance, "log" | "sessions">;

export const listPermissions: Handler<"agent.permission.list", keyof Readers> = (instance, { args }) =>
  answerList(instance, args, "permission");

export const listElicitations: Handler<"agent.elicitation.list", keyof Readers> = (instance, { args }) =>
  answerList(instance, args, "elicitation");

/** `more`: some requests did not fit. */
export interface RequestList {
  readonly requests: readonly (ListedPermission | ListedElicitation)[];
  readonly more: boolean;
}

function answerList(instance: Readers, args: Call<"agent.permission.list">["args"], kind: Open["kind"]): Answer {
  const { session, request } = args;
  const states = session === undefined ? instance.sessions.live() : findStates(instance, session);
  if ("rc" in states) return states;
  const { requests, more } = listOpenRequests(
    states,
    (open) => open.kind === kind && (request === undefined || open.request === request),
    callLimits.questionsBytesMax,
  );
  return ok(more ? { requests, more } : { requests });
}

function findStates(instance: Readers, reference: string): readonly SessionState[] | Answer {
  const session = findSession(instance, reference);
  if (typeof session !== "string") return session;
  const state = instance.sessions.get(session);
  return state ? [state] : [];
}

/**
 * Lists the requests in full if they fit into `bytesMax`. Otherwise divides the bytes equally among the sessions, and
 * within a session among its requests, so that one agent's long requests do not shorten those of others.
 */
export function listOpenRequests(
  states: readonly SessionState[],
  wanted: (open: Open) => boolean,
  bytesMax: number,
): RequestList {
  const sessions = states
    .map(({ id, requests }) => ({ session: id, open: requests.filter(wanted) }))
    .filter(({ open }) => open.length > 0);
  const bytes = sessions.flatMap(({ open }) => open).reduce((sum, one) => sum + wholeBytes(one), 0);
  const bytesOfEach = bytes <= bytesMax ? Infinity : bytesMax / sessions.length;
  const shown = sessions.map(({ session, open }) => listSessionRequests(session, open, bytesOfEach));
  const requests = shown.flatMap((one) => one.requests);
  return {
    requests: requests.toSorted((a, b) => (a.asked_at < b.asked_at ? -1 : a.asked_at > b.asked_at ? 1 : 0)),
    more: shown.some(({ more }) => more),
  };
}

function listSessionRequests(session: string, open: readonly Open[], bytesMax: number): RequestList {
  const requests: (ListedPermission | ListedElicitation)[] = [];
  let bytesLeft = bytesMax;
  for (const [index, one] of open.entries()) {
    const { request, bytes } = requestWithin(session, one, bytesLeft / (open.length - index));
    bytesLeft -= bytes;
    if (bytesLeft < 0) return { requests, more: true };
    requests.push(request);
  }
  return { requests, more: false };
}

/** Builds the listed form of a request, without the agent's longest members where it would exceed `bytesMax`. */
function requestWithin(
  session: string,
  open: Open,
  bytesMax: number,
): { readonly request: ListedPermission | ListedElicitation; readonly bytes: number } {
  const turn = open.turn === undefined ? {} : { turn: open.turn };
  const head = { request: open.request, session, ...turn, ...agentSessionMember(open.agentSession) };
  const times = { asked_at: open.askedAt, expires_at: open.expiresAt };
  const fixed = fixedBytes(open);
  if (open.kind === "elicitation") {
    const { value, bytes, omitted } = boundFields(measureElicitation(open.elicitation), bytesMax - fixed);
    const request = { kind: open.kind, ...head, ...value, ...times, ...toLeftOut(omitted) };
    return { request, bytes: fixed + bytes };
  }
  const { value, bytes, omitted } = boundFields(measureCall(open.toolCall), bytesMax - fixed);
  const all = toLeftOut([...open.omitted, ...omitted]);
  const changed = open.changed.length === 0 ? {} : { changed: open.changed };
  const asked = { tool_call: value, ...subAgentMember(open), options: open.options };
  const request = { kind: open.kind, ...head, ...asked, ...times, ...changed, ...all };
  return { request, bytes: fixed + bytes };
}

function toLeftOut(names: readonly string[]): { readonly left_out?: readonly string[] } {
  return names.length === 0 ? {} : { left_out: names };
}

function wholeBytes(open: Open): number {
  const { bytes } = open.kind === "elicitation" ? measureElicitation(open.elicitation) : measureCall(open.toolCall);
  return fixedBytes(open) + bytes;
}

function fixedBytes(open: Open): number {
  return headBytes + (open.kind === "permission" ? measureOptions(open.options) : 0);
}

/** Reserved for ids, times and the names of omitted members. */
const headBytes = 1024;

const measureCall = rememberPerObject((call: ToolCallFields) => measureFields(call, droppableMembers));
const measureElicitation = rememberPerObject((asked: Elicitation) =>
  measureFields(toElicitationFields(asked), ["message", "schema", "url"]),
);
const measureOptions = rememberPerObject((options: readonly PermissionChoice[]) => jsonBytes(options));

/** A request may be long and is listed often. */
function rememberPerObject<T extends object, R>(measure: (value: T) => R): (value: T) => R {
  const results = new WeakMap<T, R>();
  return (value) => {
    const result = results.get(value) ?? measure(value);
    results.set(value, result);
    return result;
  };
}
