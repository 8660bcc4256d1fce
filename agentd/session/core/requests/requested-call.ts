// SPDX-License-Identifier: MIT OR Apache-2.0
// The tool call that a permission is about: what the request says of it, on top of all that was said of it before.
import type { ToolCallFields } from "../../../vocabulary/entries.ts";
import { callLimits } from "../../../vocabulary/limits.ts";
import { jsonBytes, boundFields, type BoundedFields, measureFields } from "../bounded-fields.ts";
import { findGrowths } from "../tools/growth.ts";
import { type RequestMember, requestMembers, isNewCall, type KnownCall } from "../tools/known-calls.ts";

export interface RequestedCall {
  readonly call: ToolCallFields;
  /** Members of it that the request does not say itself. */
  readonly saidBefore: readonly RequestMember[];
  /** Members that were said before and are not held. */
  readonly lost: readonly RequestMember[];
}

/** `own`: as the request has it. */
export function toRequestedCall(known: KnownCall | undefined, own: ToolCallFields): RequestedCall {
  if (!known || isNewCall(known, own)) return { call: own, saidBefore: [], lost: [] };
  const missing = requestMembers.filter((name) => own[name] === undefined);
  const { members } = known;
  const saidBefore = missing.filter((name) => members[name]?.value !== undefined);
  const lost = missing.filter((name) => members[name] !== undefined && members[name].value === undefined);
  const before = Object.fromEntries(saidBefore.map((name) => [name, members[name]?.value]));
  return { call: { ...own, ...before }, saidBefore, lost };
}

/** As it is held and shown while the question is open. */
export function boundCall({ call, lost }: RequestedCall): BoundedFields<ToolCallFields> {
  const fitted = boundFields(measureFields(call, droppableNames), callLimits.questionBytesMax);
  return { ...fitted, omitted: [...fitted.omitted, ...lost] };
}

/** What a question can be held and shown without, when it is too long: its id and its kind tell what is asked. */
const droppableNames = [
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
 * As the question's entry has it: all that the request says, and what was said before as far as it fits. Each long value
 * is copied into one question's entry at most, so that an agent that asks often does not multiply the log.
 */
export function toLoggedCall({ call, saidBefore, lost }: RequestedCall, known: KnownCall | undefined): LoggedCall {
  const isRepeated = (name: RequestMember): boolean =>
    known?.members[name]?.wasCopied === true && jsonBytes(call[name]) > repeatedBytesMax;
  const copied = saidBefore.filter((name) => !isRepeated(name));
  const { omitted } = boundFields(measureFields(pick(call, copied), copied), callLimits.questionBytesMax);
  const said = copied.filter((name) => !omitted.includes(name));
  const missing = [...lost, ...saidBefore.filter((name) => !said.includes(name))];
  const without = new Set<string>(missing);
  const left = missing.length === 0 ? call : (omit(call, without) as unknown as ToolCallFields);
  return { tool_call: left, said_before: said, left_out: missing };
}

/** UTF-8 bytes of a value as JSON that may stand in every question about its call. */
const repeatedBytesMax = 4 * 1024;

/** Members that the update has changed. A new status changes nothing of what is asked. */
export function findChangedMembers(
  before: KnownCall | undefined,
  now: KnownCall | undefined,
  update: ToolCallFields,
): readonly RequestMember[] {
  return requestMembers.filter((name) => {
    if (name === "status" || update[name] === undefined) return false;
    const [old, next] = [before?.members[name]?.value, now?.members[name]?.value];
    // What is not held cannot be compared.
    return old === undefined || next === undefined || findGrowths(old, next, [])?.length !== 0;
  });
}

function pick(call: ToolCallFields, names: readonly RequestMember[]): Partial<ToolCallFields> {
  return Object.fromEntries(names.map((name) => [name, call[name]]));
}

function omit(call: ToolCallFields, names: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(call).filter(([name]) => !names.has(name)));
}
