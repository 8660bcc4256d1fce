// SPDX-License-Identifier: MIT OR Apache-2.0
// Permission requests: the tool call that each is about, and the policy that may decide it.
import type { AgentEvent } from "../../../../acp-client/agent-events.ts";
import type { ToolCallPatch } from "../../../../acp-client/model.ts";
import { finalToolStatuses, isAnnouncement, type ToolCallFields } from "../../../vocabulary/entries.ts";
import { truncateText } from "../bounded-fields.ts";
import type { Draft } from "../draft.ts";
import { toToolCallFields } from "../map-update.ts";
import { currentTurn, type PendingPermission } from "../state.ts";
import { isNewCall, toCallKey, forgottenCall, type KnownCalls, mergeCall, markCopied } from "../tools/known-calls.ts";
import { closeOldestIfFull } from "../tools/tool-calls.ts";
import { findTool, recordTool } from "../tools/tool-ledger.ts";
import { askPeople } from "./ask-people.ts";
import { checkCanAsk, openRequest, type Verdict } from "./request-life.ts";
import {
  evaluatePolicy,
  foreignSessionReason,
  type PolicyEvidence,
  type PolicyDecision,
  type PolicyRequest,
} from "./policy.ts";
import { findChangedMembers, toLoggedCall, type RequestedCall, toRequestedCall, boundCall } from "./requested-call.ts";

/** Handles ACP's session/request_permission. `evidence`: the evidence for the session's policy, if it has one. */
export function requestPermission(
  draft: Draft,
  event: Extract<AgentEvent, { type: "permission" }>,
  evidence?: PolicyEvidence,
): void {
  const { state } = draft;
  const { agentSession } = event;
  const own = toToolCallFields(event.toolCall);
  const callKey = toCallKey(own.tool_call_id, agentSession);
  const requested = mergeRequestedCall(draft, callKey, own, agentSession);
  const options = event.options.map(({ optionId, name, kind }) => ({ option: optionId, name, kind }));
  const refusal = checkCanAsk(draft);
  const policy = refusal ? undefined : askPolicy(draft, { kind: own.tool_kind, options }, evidence, agentSession);
  const verdict = policy && "answer" in policy ? toVerdict(policy) : refusal;
  const { tool_call, said_before, left_out } = toLoggedCall(requested, state.calls.get(callKey));
  state.calls = markCopied(state.calls, callKey, tool_call);
  const subAgent = findSubAgent(state.calls, tool_call);
  openRequest(draft, {
    details: { kind: "permission", callKey, ...boundCall(requested), ...subAgent, changed: [], edition: 0, options },
    key: event.request,
    agentSession,
    fields: {
      tool_call,
      ...(said_before.length === 0 ? {} : { said_before }),
      ...(left_out.length === 0 ? {} : { left_out }),
      ...subAgentMember(subAgent),
      options,
    },
    verdict,
    why: policy && "ask" in policy ? policy.ask : undefined,
  });
}

/** Of a sub-agent that works in the session of its parent. */
function findSubAgent(
  calls: KnownCalls,
  { parent_tool_call_id: parent }: ToolCallFields,
): Pick<PendingPermission, "subAgent"> {
  if (typeof parent !== "string") return {};
  const title = calls.get(parent)?.members.title?.value;
  return { subAgent: truncateText(typeof title === "string" && title !== "" ? title : parent, subAgentUnitsMax) };
}

const subAgentUnitsMax = 120;

export function subAgentMember({ subAgent }: Pick<PendingPermission, "subAgent">): { readonly sub_agent?: string } {
  return subAgent === undefined ? {} : { sub_agent: subAgent };
}

function toVerdict({ answer, why }: Extract<PolicyDecision, { answer: string }>): Verdict {
  return { option: answer, by: null, via: "policy", why };
}

/**
 * Evaluates the session's policy as currently configured; undefined when the session has none. A policy that is gone
 * from the configuration decides nothing, which is logged once.
 */
function askPolicy(
  draft: Draft,
  asked: Pick<PolicyRequest, "kind" | "options">,
  evidence: PolicyEvidence | undefined,
  agentSession: string | undefined,
): PolicyDecision | undefined {
  const { state, context } = draft;
  const { policy: name, cwd, additionalDirs } = state;
  if (name === undefined) return undefined;
  const policy = context.settings.policies.get(name);
  if (!policy) emitPolicyGone(draft, name);
  state.policyGoneReported = policy === undefined;
  if (state.alwaysAsk) return { ask: `policy "${name}": the prompt said that people are to be asked` };
  if (agentSession !== undefined) return { ask: `policy "${name}": ${foreignSessionReason}` };
  if (!policy || !evidence) return { ask: `policy "${name}": it is not in the configuration` };
  const answer = evaluatePolicy(policy, { ...asked, sessionDirectories: [cwd, ...additionalDirs], evidence });
  if ("ask" in answer) return { ask: `policy "${name}": ${answer.ask}` };
  return { ...answer, why: `policy "${name}", ${answer.why}` };
}

function emitPolicyGone(draft: Draft, name: string): void {
  if (draft.state.policyGoneReported) return;
  const message = `the policy "${name}" is no longer in the configuration: people are asked instead`;
  draft.add({ kind: "diagnostic", what: "policy-gone", message });
}

/** Merges the request into its tool call, which it creates if the agent never announced it. */
function mergeRequestedCall(
  draft: Draft,
  key: string,
  own: ToolCallFields,
  agentSession: string | undefined,
): RequestedCall {
  const { state } = draft;
  const before = state.calls;
  const isForeign = agentSession !== undefined;
  const known = before.get(key);
  const wasSeen = isForeign ? known !== undefined : findTool(state.tools, key) !== undefined;
  const isFirst = !wasSeen || (known !== undefined && isNewCall(known, own));
  const requested = toRequestedCall(known ?? (wasSeen ? forgottenCall : undefined), own);
  if (!isForeign && isFirst) {
    closeOldestIfFull(draft);
    const { turn } = currentTurn(state);
    const status = own.status ?? "pending";
    draft.add({ kind: "tool_call", ...currentTurn(state), ...own, status });
    state.tools = recordTool(state.tools, key, turn, status);
  }
  const hasEnded = isForeign ? known?.hasEnded === true : !state.tools.open.has(key);
  state.calls = mergeCall(before, key, own, { hasEnded, isBase: isFirst, wasSeen });
  noteCallChange(draft, key, own, before);
  return requested;
}

/** Remembers what a sub-agent says of its calls, for requests about them. Its update is logged as it came. */
export function noteForeignToolCall(draft: Draft, agentSession: string, call: ToolCallPatch): void {
  const { state } = draft;
  const fields = toToolCallFields(call);
  const key = toCallKey(fields.tool_call_id, agentSession);
  const before = state.calls;
  const hadEnded = before.get(key)?.hasEnded === true && !isAnnouncement(fields.title, fields.tool_kind, fields.status);
  const hasEnded = hadEnded || finalToolStatuses.has(fields.status);
  state.calls = mergeCall(before, key, fields, { hasEnded, isBase: false, wasSeen: false });
  noteCallChange(draft, key, fields, before);
}

/** People see the changed call of a pending request, marked as changed. The policy is not evaluated again. */
export function noteCallChange(draft: Draft, key: string, update: ToolCallFields, before: KnownCalls): void {
  const { state } = draft;
  for (const pending of state.requests) {
    if (pending.kind !== "permission" || pending.callKey !== key) continue;
    const now = state.calls.get(key);
    const changed = findChangedMembers(before.get(key), now, update);
    if (changed.length === 0) continue;
    const call = boundCall(toRequestedCall(now, { tool_call_id: update.tool_call_id }));
    const allChanged = [...new Set([...pending.changed, ...changed])];
    const renewed = { ...pending, ...call, changed: allChanged, edition: pending.edition + 1 };
    state.requests = state.requests.map((one) => (one === pending ? renewed : one));
    const { request, turn } = pending;
    draft.add({ kind: "permission", ...(turn === undefined ? {} : { turn }), request, phase: "changed", changed });
    if (pending.askedPeople) askPeople(draft, renewed);
  }
}
