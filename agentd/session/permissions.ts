// SPDX-License-Identifier: MIT OR Apache-2.0
// A permission from the agent's question to its one answer. Whatever is not somebody's yes is never a yes.
import type { AgentEvent } from "../../acp-client/agent-client.ts";
import type { PermissionOutcome } from "../../acp-client/model.ts";
import type { Findings } from "../people/findings.ts";
import { callLimits, type PermissionChoice, type ToolCallFields } from "../vocabulary/index.ts";
import type { Draft } from "./draft.ts";
import { bytesOf, fit, measure } from "./fit.ts";
import { toolCallFields } from "./map-update.ts";
import { makeRoom } from "./messages.ts";
import {
  awaitAnswer,
  closeRequest,
  newRequest,
  notified,
  openRequest,
  type Resolver,
  whyNobodyIsAsked,
} from "./open-requests.ts";
import { policyAnswer } from "./policy-answer.ts";
import { currentTurn, type OpenPermission } from "./state.ts";
import { findTool, noteTool } from "./tool-ledger.ts";

/** `option` as offered, or a cancellation. */
export type Answer = { readonly option: string } | "cancelled";

/** `findings`: what the session's policy judges by, where it has one. */
export function requestPermission(
  draft: Draft,
  event: Extract<AgentEvent, { type: "permission" }>,
  findings?: Findings,
): void {
  const { state } = draft;
  const where = currentTurn(state);
  const call = toolCallFields(event.toolCall);
  // Some agents never announce the call: the question is its first sight.
  if (!findTool(state.tools, call.tool_call_id)) {
    makeRoom(draft);
    const status = call.status ?? "pending";
    draft.add({ kind: "tool_call", ...where, ...call, status });
    state.tools = noteTool(state.tools, call.tool_call_id, where.turn, status);
  }
  const options = event.options.map(({ optionId, name, kind }) => ({ option: optionId, name, kind }));
  const refusedBecause = whyNobodyIsAsked(draft);
  const byPolicy = refusedBecause ? undefined : policyAnswer(draft, call.tool_kind, options, findings);
  const { leftOut, ...shown } = fit(measure(call, partsThatMayGo), callLimits.questionBytesMax);
  const open: OpenPermission = {
    kind: "permission",
    ...newRequest(draft, event.request),
    shown,
    leftOut,
    options,
    optionsBytes: bytesOf(options),
  };
  draft.add({
    kind: "permission",
    ...where,
    request: open.request,
    phase: "requested",
    tool_call: call,
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

/** What a question can be held and shown without, when it is too long: its id and its kind tell what is asked. */
const partsThatMayGo = [
  "title",
  "name",
  "status",
  "content",
  "locations",
  "raw_input",
  "raw_output",
  "_meta",
] as const satisfies readonly (keyof ToolCallFields)[];

/** Ends one request: logged now, told to the agent afterwards. */
export function resolvePermission(draft: Draft, open: OpenPermission, answer: Answer, who: Resolver): void {
  const { turn, request, key } = open;
  const outcome = answer === "cancelled" ? "cancelled" : "selected";
  const option = answer === "cancelled" ? {} : { option: answer.option };
  const where = turn === undefined ? {} : { turn };
  draft.add({ kind: "permission", ...where, request, phase: "resolved", outcome, ...option, ...who });
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
