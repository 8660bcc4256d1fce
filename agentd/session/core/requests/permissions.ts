// SPDX-License-Identifier: MIT OR Apache-2.0
// A permission from the agent's question to its one answer. Whatever is not somebody's yes is never a yes.
import type { AgentEvent } from "../../../../acp-client/agent-events.ts";
import type { PermissionOutcome, ToolCallPatch } from "../../../../acp-client/model.ts";
import { finalToolStatuses, type PermissionChoice, type ToolCallFields } from "../../../vocabulary/entries.ts";
import type { Draft } from "../draft.ts";
import { bytesOf } from "../fit.ts";
import { toolCallFields } from "../map-update.ts";
import { currentTurn, type OpenPermission } from "../state.ts";
import {
  beginsAnew,
  callKey,
  forgotten,
  isAnnouncement,
  type KnownCalls,
  mergeCall,
  noteCopied,
} from "../tools/known-calls.ts";
import { makeRoom } from "../tools/tool-calls.ts";
import { findTool, noteTool } from "../tools/tool-ledger.ts";
import { askPeople } from "./asking.ts";
import {
  awaitAnswer,
  closeRequest,
  newRequest,
  notified,
  ofAgentSession,
  openRequest,
  type Resolver,
  whyNobodyIsAsked,
} from "./open-requests.ts";
import { answerByPolicy, askedByAnotherSession, type PolicyEvidence, type PolicyAnswer } from "./policy.ts";
import { changedMembers, loggedCall, type QuestionCall, questionCall, shownCall } from "./question-call.ts";

/** `option` as offered, or a cancellation. */
export type Answer = { readonly option: string } | "cancelled";

/** `evidence`: what the session's policy judges by, where it has one. */
export function requestPermission(
  draft: Draft,
  event: Extract<AgentEvent, { type: "permission" }>,
  evidence?: PolicyEvidence,
): void {
  const { state } = draft;
  const where = currentTurn(state);
  const { agentSession } = event;
  const own = toolCallFields(event.toolCall);
  const key = callKey(own.tool_call_id, agentSession);
  const question = askedCall(draft, key, own, agentSession);
  const options = event.options.map(({ optionId, name, kind }) => ({ option: optionId, name, kind }));
  const refusedBecause = whyNobodyIsAsked(draft);
  const byPolicy = refusedBecause
    ? undefined
    : policyAnswer(draft, { kind: own.tool_kind, options, evidence, agentSession });
  const { leftOut, ...shown } = shownCall(question);
  const open: OpenPermission = {
    kind: "permission",
    ...newRequest(draft, event.request, agentSession),
    call: key,
    shown,
    leftOut,
    changed: [],
    edition: 0,
    options,
    optionsBytes: bytesOf(options),
  };
  const logged = loggedCall(question, state.calls.get(key));
  state.calls = noteCopied(state.calls, key, logged.tool_call);
  draft.add({
    kind: "permission",
    ...where,
    request: open.request,
    phase: "requested",
    ...ofAgentSession(agentSession),
    tool_call: logged.tool_call,
    ...(logged.said_before.length === 0 ? {} : { said_before: logged.said_before }),
    ...(logged.left_out.length === 0 ? {} : { left_out: logged.left_out }),
    options,
    now: open.askedAt,
    expires_at: open.expiresAt,
    notified: notified(draft, refusedBecause !== undefined || (byPolicy !== undefined && "answer" in byPolicy)),
    ...(byPolicy !== undefined && "ask" in byPolicy ? { why: byPolicy.ask } : {}),
  });
  openRequest(draft, open);
  if (refusedBecause) return resolvePermission(draft, open, "cancelled", refusedBecause);
  if (byPolicy !== undefined && "answer" in byPolicy) {
    return resolvePermission(draft, open, { option: byPolicy.answer }, { by: null, via: "policy", why: byPolicy.why });
  }
  awaitAnswer(draft, open);
}

interface AskedOfPolicy {
  /** As the request itself has it. */
  readonly kind: string | null | undefined;
  readonly options: readonly PermissionChoice[];
  readonly evidence: PolicyEvidence | undefined;
  readonly agentSession: string | undefined;
}

/**
 * What the policy says, as the configuration has it at this moment; undefined where the session has none. One that is
 * gone from the configuration answers nothing, which is said once.
 */
function policyAnswer(
  draft: Draft,
  { kind, options, evidence, agentSession }: AskedOfPolicy,
): PolicyAnswer | undefined {
  const { state, context } = draft;
  const { policy: name, cwd, additionalDirs } = state;
  if (name === undefined) return undefined;
  const policy = context.settings.policies.get(name);
  if (!policy) sayMissed(draft, name);
  state.policyMissed = policy === undefined;
  if (agentSession !== undefined) return { ask: `policy "${name}": ${askedByAnotherSession}` };
  if (!policy || !evidence) return { ask: `policy "${name}": it is not in the configuration` };
  const answer = answerByPolicy(policy, { kind, options, sessionDirectories: [cwd, ...additionalDirs], evidence });
  if ("ask" in answer) return { ask: `policy "${name}": ${answer.ask}` };
  return { ...answer, why: `policy "${name}", ${answer.why}` };
}

function sayMissed(draft: Draft, name: string): void {
  if (draft.state.policyMissed) return;
  const message = `the policy "${name}" is not in the configuration any more: people are asked instead`;
  draft.add({ kind: "diagnostic", what: "policy-gone", message });
}

/** The request patches the call like any update of it; some agents never announce the call, and this is its first sight. */
function askedCall(draft: Draft, key: string, own: ToolCallFields, agentSession: string | undefined): QuestionCall {
  const { state } = draft;
  const before = state.calls;
  const isForeign = agentSession !== undefined;
  const known = before.get(key);
  const wasSeen = isForeign ? known !== undefined : findTool(state.tools, key) !== undefined;
  const isFirst = !wasSeen || (known !== undefined && beginsAnew(known, own));
  const question = questionCall(known ?? (wasSeen ? forgotten : undefined), own);
  if (!isForeign && isFirst) {
    makeRoom(draft);
    const { turn } = currentTurn(state);
    const status = own.status ?? "pending";
    draft.add({ kind: "tool_call", ...currentTurn(state), ...own, status });
    state.tools = noteTool(state.tools, key, turn, status);
  }
  const isOver = isForeign ? known?.isOver === true : !state.tools.open.has(key);
  state.calls = mergeCall(before, key, own, { isOver, isBase: isFirst, wasSeen });
  noteChange(draft, key, own, before);
  return question;
}

/** What a sub-agent says of its calls is logged as it came, and known for the questions that it may ask about them. */
export function noteForeignCall(draft: Draft, agentSession: string, call: ToolCallPatch): void {
  const { state } = draft;
  const said = toolCallFields(call);
  const key = callKey(said.tool_call_id, agentSession);
  const before = state.calls;
  const wasOver = before.get(key)?.isOver === true && !isAnnouncement(said.title, said.tool_kind, said.status);
  const isOver = wasOver || finalToolStatuses.has(said.status);
  state.calls = mergeCall(before, key, said, { isOver, isBase: false, wasSeen: false });
  noteChange(draft, key, said, before);
}

/**
 * The agent has said more of a call, about which a question is open. People are shown the call as it is now, and that it is
 * another than the one they were asked about. A policy does not decide again.
 */
export function noteChange(draft: Draft, key: string, update: ToolCallFields, before: KnownCalls): void {
  const { state } = draft;
  for (const open of state.requests) {
    if (open.kind !== "permission" || open.call !== key) continue;
    const now = state.calls.get(key);
    const changed = changedMembers(before.get(key), now, update);
    if (changed.length === 0) continue;
    const { leftOut, ...shown } = shownCall(questionCall(now, { tool_call_id: update.tool_call_id }));
    const allChanged = [...new Set([...open.changed, ...changed])];
    const renewed = { ...open, shown, leftOut, changed: allChanged, edition: open.edition + 1 };
    state.requests = state.requests.map((one) => (one === open ? renewed : one));
    const { request, turn } = open;
    draft.add({ kind: "permission", ...(turn === undefined ? {} : { turn }), request, phase: "changed", changed });
    if (open.askedPeople) askPeople(draft, renewed);
  }
}

/** Ends one request: logged now, told to the agent afterwards. */
export function resolvePermission(draft: Draft, open: OpenPermission, answer: Answer, who: Resolver): void {
  const { turn, request, key } = open;
  const outcome = answer === "cancelled" ? "cancelled" : "selected";
  const option = answer === "cancelled" ? {} : { option: answer.option };
  const where = turn === undefined ? {} : { turn };
  const changed = open.changed.length === 0 ? {} : { changed: open.changed };
  draft.add({ kind: "permission", ...where, request, phase: "resolved", outcome, ...option, ...who, ...changed });
  const { why: _, ...closer } = who;
  const isTold = closeRequest(draft, open, { request, outcome, ...option, ...closer });
  const wire: PermissionOutcome = answer === "cancelled" ? "cancelled" : { optionId: answer.option };
  if (isTold && key !== null) draft.effect({ type: "answer_permission", request, key, outcome: wire });
}

/** Nobody answered in time: the agent's own way to say no once, else a cancellation. */
export function expirePermission(draft: Draft, open: OpenPermission): void {
  const rejection = rejectOnce(open.options);
  resolvePermission(draft, open, rejection ? { option: rejection.option } : "cancelled", { by: null, via: "timeout" });
}

/**
 * Chosen by kind alone, never by position, id or text. An id is all that the agent is told: one that stands for something
 * else too is no rejection.
 */
function rejectOnce(options: readonly PermissionChoice[]): PermissionChoice | undefined {
  const rejections = options.filter(({ kind }) => kind === "reject_once");
  return rejections.find(({ option }) => options.filter((other) => other.option === option).length === 1);
}
