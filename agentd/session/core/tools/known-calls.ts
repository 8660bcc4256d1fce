// SPDX-License-Identifier: MIT OR Apache-2.0
// The newest tool calls of a session, each update merged into what the agent said before. Permission requests need
// this, because ACP makes them patches that often have only an id. So does the log, which takes only the growth of an
// output that is sent again. Memory is bounded: a value that is too large or too deep is dropped here and marked as
// lost; the log has it.
import { isAnnouncement, requestMembers, type TextGrowth, type ToolCallFields } from "../../../vocabulary/entries.ts";
import { findGrowths } from "./growth.ts";

/** By call key, the most recently mentioned last. */
export type KnownCalls = ReadonlyMap<string, KnownCall>;

export interface KnownCall {
  readonly members: { readonly [M in Member]?: KnownMember };
  /** After its end, an announcement under the same id begins another call. */
  readonly hasEnded: boolean;
  /** Sum over its members. */
  readonly units: number;
}

interface KnownMember {
  /** Undefined when the agent sent a value that is not held. */
  readonly value: unknown;
  /** Size as `countUnits` estimates it. */
  readonly units: number;
  /** Readers of the log have the whole value, so a growth may build on it. */
  readonly isBase?: boolean;
  /** The entry of a permission request already has this value. */
  readonly wasCopied?: true;
}

const growingMembers = ["content", "raw_output"] as const;
const members = [...requestMembers, "raw_output"] as const;
export type RequestMember = (typeof requestMembers)[number];
type Member = (typeof members)[number];

export const noCalls: KnownCalls = new Map();

/** Limits in UTF-16 code units: for one value, for one value of an ended call, and for all values of a session. */
const valueUnitsMax = 4 * 1024 * 1024;
const endedValueUnitsMax = 1024;
const sessionUnitsMax = 16 * 1024 * 1024;
const callsMax = 64;
const depthMax = 16;
const textsMax = 1024;

/** A growth is logged only when it is shorter than the value would be. */
const unitsMin = 256;
const unitsPerGrowth = 64;

/** Returns the fields to log: for an open call's values that only grew, the growth; for unchanged ones, nothing. */
export function toLoggedFields(
  calls: KnownCalls,
  fields: ToolCallFields,
): ToolCallFields & { readonly grow?: readonly TextGrowth[] } {
  const known = calls.get(fields.tool_call_id);
  if (!known) return fields;
  let logged: Partial<ToolCallFields> | undefined;
  const grow: TextGrowth[] = [];
  for (const name of growingMembers) {
    const old = known.members[name];
    const next = fields[name];
    if (!old?.isBase || next === undefined || next === null) continue;
    const grown = findGrowths(old.value, next, [name]);
    if (!grown || old.units < unitsMin + unitsPerGrowth * grown.length) continue;
    logged ??= { ...fields };
    delete logged[name];
    grow.push(...grown);
  }
  if (!logged) return fields;
  return { ...(logged as ToolCallFields), ...(grow.length > 0 ? { grow } : {}) };
}

/** Returns the key of a call. Ids of different sessions of one agent are kept apart. */
export function toCallKey(id: string, agentSession?: string): string {
  return agentSession === undefined ? id : JSON.stringify([agentSession, id]);
}

export interface Mention {
  /** This update, or an earlier one, has ended the call. */
  readonly hasEnded: boolean;
  /** A `tool_call` entry carries the values, so later growths may build on them. */
  readonly isBase: boolean;
  /** The call was mentioned before, even if it has been evicted. */
  readonly wasSeen: boolean;
}

export function mergeCall(calls: KnownCalls, key: string, fields: ToolCallFields, mention: Mention): KnownCalls {
  const before = calls.get(key) ?? (mention.wasSeen ? forgottenCall : undefined);
  const merged: { [M in Member]?: KnownMember } = before && !isNewCall(before, fields) ? { ...before.members } : {};
  for (const name of members) {
    const value = fields[name];
    if (value === null) delete merged[name];
    else if (value !== undefined) merged[name] = toKnownMember(value, mention.isBase);
  }
  const next = new Map(calls);
  next.delete(key);
  next.set(key, toKnownCall(merged, mention.hasEnded));
  return evict(next);
}

/** Marks a call that agentd has closed as `failed`. */
export function endCall(calls: KnownCalls, key: string): KnownCalls {
  const known = calls.get(key);
  if (!known) return calls;
  return new Map(calls).set(key, toKnownCall({ ...known.members, status: toKnownMember("failed", true) }, true));
}

/** Marks members that a request's entry now has, so that the next request need not repeat long ones. */
export function markCopied(calls: KnownCalls, key: string, logged: ToolCallFields): KnownCalls {
  const known = calls.get(key);
  if (!known) return calls;
  const copied: { [M in Member]?: KnownMember } = { ...known.members };
  for (const name of requestMembers) {
    const member = copied[name];
    if (member && logged[name] !== undefined) copied[name] = { ...member, wasCopied: true };
  }
  return new Map(calls).set(key, { ...known, members: copied });
}

/** Whether it announces another call under an ended one's id: some agents count from 1 in each turn. */
export function isNewCall(before: Pick<KnownCall, "hasEnded">, { title, tool_kind, status }: ToolCallFields): boolean {
  return before.hasEnded && isAnnouncement(title, tool_kind, status);
}

function toKnownMember(value: unknown, isBase: boolean): KnownMember {
  const units = countUnits(value);
  return units === undefined ? lostMember : { value, units, ...(isBase ? { isBase } : {}) };
}

const lostMember: KnownMember = { value: undefined, units: 0 };

/** An evicted call: any of the members that describe it may have been said. */
export const forgottenCall: KnownCall = {
  members: { title: lostMember, content: lostMember, locations: lostMember, raw_input: lostMember },
  hasEnded: false,
  units: 0,
};

/** Builds the call. An ended call keeps no long values and no bases, so its next update is logged whole. */
function toKnownCall(merged: { readonly [M in Member]?: KnownMember }, hasEnded: boolean): KnownCall {
  const kept: { [M in Member]?: KnownMember } = merged;
  let units = 0;
  for (const name of members) {
    const member = kept[name];
    if (!member) continue;
    if (hasEnded) kept[name] = name === "raw_output" ? lostMember : toEndedMember(member);
    units += kept[name]?.units ?? 0;
  }
  return { members: kept, hasEnded, units };
}

function toEndedMember(member: KnownMember): KnownMember {
  return member.units > endedValueUnitsMax ? lostMember : { ...member, isBase: false };
}

/** Evicts ended calls, oldest first, and only then open ones, which may still be the subject of a request. */
function evict(calls: Map<string, KnownCall>): KnownCalls {
  let units = 0;
  for (const call of calls.values()) units += call.units;
  for (const hasEnded of [true, false]) {
    for (const [key, call] of calls) {
      if (calls.size <= callsMax && units <= sessionUnitsMax) return calls;
      if (call.hasEnded !== hasEnded) continue;
      units -= call.units;
      calls.delete(key);
    }
  }
  return calls;
}

/** Estimates the value's size as JSON, or returns undefined once it exceeds a limit. */
function countUnits(value: unknown): number | undefined {
  let units = 0;
  let texts = 0;
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { depth } = next;
    units += 4;
    if (typeof next.value === "string") {
      units += next.value.length;
      texts += 1;
    } else if (typeof next.value === "object" && next.value !== null) {
      for (const [name, inner] of Object.entries(next.value)) {
        units += name.length;
        waiting.push({ value: inner, depth: depth + 1 });
      }
    }
    if (units + waiting.length > valueUnitsMax || texts > textsMax || depth > depthMax) return undefined;
  }
  return units;
}
