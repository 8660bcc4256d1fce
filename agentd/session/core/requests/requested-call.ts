// SPDX-License-Identifier: MIT OR Apache-2.0
// The tool call that a permission request is about: the request is a patch on what the agent said of the call before.
import { requestMembers, type ToolCallFields } from "../../../vocabulary/entries.ts";
import { callLimits } from "../../../vocabulary/limits.ts";
import { jsonBytes, boundFields, measureFields } from "../bounded-fields.ts";
import type { PendingPermission } from "../state.ts";
import { findGrowths } from "../tools/growth.ts";
import { type RequestMember, isNewCall, type KnownCall } from "../tools/known-calls.ts";

export interface RequestedCall {
  readonly call: ToolCallFields;
  /** Members that the agent said earlier and the request does not repeat. */
  readonly saidBefore: readonly RequestMember[];
  /** Members that the agent said earlier and that are no longer held. */
  readonly lost: readonly RequestMember[];
}

/** Merges the request over the known call. `own`: the members of the request. */
export function toRequestedCall(known: KnownCall | undefined, own: ToolCallFields): RequestedCall {
  if (!known || isNewCall(known, own)) return { call: own, saidBefore: [], lost: [] };
  const missing = requestMembers.filter((name) => own[name] === undefined);
  const { members } = known;
  const saidBefore = missing.filter((name) => members[name]?.value !== undefined);
  const lost = missing.filter((name) => members[name] !== undefined && members[name].value === undefined);
  const before = Object.fromEntries(saidBefore.map((name) => [name, members[name]?.value]));
  return { call: { ...own, ...before }, saidBefore, lost };
}

/** Bounds the call for as long as the request is pending. */
export function boundCall({ call, lost }: RequestedCall): Pick<PendingPermission, "toolCall" | "omitted"> {
  const { value, omitted } = boundFields(measureFields(call, droppableMembers), callLimits.questionBytesMax);
  return { toolCall: value, omitted: [...omitted, ...lost] };
}

/** Members that may be left out of a long request. Id and kind stay, because they tell what is asked. */
export const droppableMembers = [
  "title",
  "name",
  "status",
  "content",
  "locations",
  "raw_input",
  "raw_output",
  "_meta",
] as const satisfies readonly (keyof ToolCallFields)[];

export interface LoggedCall {
  readonly tool_call: ToolCallFields;
  readonly said_before: readonly RequestMember[];
  readonly left_out: readonly RequestMember[];
}

/**
 * Returns the call for the request's entry: all of the request, and earlier members as far as they fit. A long value is
 * copied into one entry only, or an agent that asks often would multiply the log.
 */
export function toLoggedCall({ call, saidBefore, lost }: RequestedCall, known: KnownCall | undefined): LoggedCall {
  const wasLogged = (name: RequestMember): boolean =>
    known?.members[name]?.wasCopied === true && jsonBytes(call[name]) > repeatedBytesMax;
  const copied = saidBefore.filter((name) => !wasLogged(name));
  const values: Partial<ToolCallFields> = Object.fromEntries(copied.map((name) => [name, call[name]]));
  const { omitted } = boundFields(measureFields(values, copied), callLimits.questionBytesMax);
  const included = copied.filter((name) => !omitted.includes(name));
  const missing = [...lost, ...saidBefore.filter((name) => !included.includes(name))];
  const left = Object.entries(call).filter(([name]) => !(missing as readonly string[]).includes(name));
  return {
    tool_call: missing.length === 0 ? call : (Object.fromEntries(left) as unknown as ToolCallFields),
    said_before: included,
    left_out: missing,
  };
}

/** Largest value, in UTF-8 bytes as JSON, that every request about its call may repeat. */
const repeatedBytesMax = 4 * 1024;

/** Returns the members that an update has changed, except `status`, which does not change what is asked. */
export function findChangedMembers(
  before: KnownCall | undefined,
  now: KnownCall | undefined,
  update: ToolCallFields,
): readonly RequestMember[] {
  return requestMembers.filter((name) => {
    if (name === "status" || update[name] === undefined) return false;
    const [old, next] = [before?.members[name]?.value, now?.members[name]?.value];
    // A value that is not held cannot be compared and counts as changed.
    return old === undefined || next === undefined || findGrowths(old, next, [])?.length !== 0;
  });
}
