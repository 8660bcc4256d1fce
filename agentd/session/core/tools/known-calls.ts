// SPDX-License-Identifier: MIT OR Apache-2.0
// The newest tool calls as their agent has described them so far, each update merged into what came before. Two things
// need that: a permission request is a patch on a call that was announced earlier, and often says nothing but its id; and
// an output that is sent again and longer is logged as its growth. Bounded: what is too big, too deep or too much to be
// held is lost here (the log has it), and that it is lost is known.
import type { TextGrowth, ToolCallFields } from "../../../vocabulary/entries.ts";
import { findGrowths } from "./growth.ts";

/** By tool call, the one that was mentioned last at the end. */
export type KnownCalls = ReadonlyMap<string, KnownCall>;

export interface KnownCall {
  /** What was said of it. */
  readonly members: { readonly [M in Member]?: KnownMember };
  /** It has ended; an announcement under its id begins another call. */
  readonly hasEnded: boolean;
  /** Of all its members. */
  readonly units: number;
}

interface KnownMember {
  /** Undefined: it was said, and is not held. */
  readonly value: unknown;
  /** As `unitsOf` counts them. */
  readonly units: number;
  /** The log's readers have this value whole, so that it can go on from there. */
  readonly isBase?: boolean;
  /** A question's entry has this value already. */
  readonly wasCopied?: true;
}

/** What a question is about. */
export const requestMembers = [
  "title",
  "name",
  "tool_kind",
  "status",
  "content",
  "locations",
  "raw_input",
] as const satisfies readonly (keyof ToolCallFields)[];
const growingMembers = ["content", "raw_output"] as const;
const members = [...requestMembers, "raw_output"] as const;
export type RequestMember = (typeof requestMembers)[number];
type Member = (typeof members)[number];

export const noCalls: KnownCalls = new Map();

/** UTF-16 code units of one value, of one value of a call that has ended, and of all values of a session. */
const valueUnitsMax = 4 * 1024 * 1024;
const endedValueUnitsMax = 1024;
const sessionUnitsMax = 16 * 1024 * 1024;
const callsMax = 64;
const depthMax = 16;
const textsMax = 1024;

/** A growth is told only of a value that is longer than what is told instead of it. */
const unitsMin = 256;
const unitsPerGrowth = 64;

/** The fields as they are logged: of an open call's value that only grew, what it grew by; nothing of one that is what it was. */
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

/** What a call is known by: ids of another session of the same agent are apart. */
export function toCallKey(id: string, agentSession?: string): string {
  return agentSession === undefined ? id : JSON.stringify([agentSession, id]);
}

export interface Mention {
  /** The call has ended, by this or before. */
  readonly hasEnded: boolean;
  /** A `tool_call` entry has it, which later growths can go on from. */
  readonly isBase: boolean;
  /** The call was mentioned before, though it may be forgotten by now. */
  readonly wasSeen: boolean;
}

/** After the agent has said this of the call. */
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

/** After agentd has closed the call, as `failed`. */
export function endCall(calls: KnownCalls, key: string): KnownCalls {
  const known = calls.get(key);
  if (!known) return calls;
  return new Map(calls).set(key, toKnownCall({ ...known.members, status: toKnownMember("failed", true) }, true));
}

/** A question's entry has these members of the call now: the next one need not repeat what is long. */
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

/**
 * ACP wants an id to be unique, and some agents count from 1 in each turn: after the end of a call, an announcement under
 * its id is of another call, and no patch.
 */
export function isNewCall(before: Pick<KnownCall, "hasEnded">, { title, tool_kind, status }: ToolCallFields): boolean {
  return before.hasEnded && isAnnouncement(title, tool_kind, status);
}

/** A `tool_call` always has these three, by ACP or by its defaults; an update of a call has no reason to. */
export function isAnnouncement(title: unknown, kind: unknown, status: unknown): boolean {
  return typeof title === "string" && typeof kind === "string" && typeof status === "string";
}

function toKnownMember(value: unknown, isBase: boolean): KnownMember {
  const units = countUnits(value);
  return units === undefined ? lostMember : { value, units, ...(isBase ? { isBase } : {}) };
}

const lostMember: KnownMember = { value: undefined, units: 0 };

/** A call of which nobody knows any more what was said: any of what tells people what it does may have been. */
export const forgottenCall: KnownCall = {
  members: { title: lostMember, content: lostMember, locations: lostMember, raw_input: lostMember },
  hasEnded: false,
  units: 0,
};

/** Of a call that has ended, long values go, and none is a base any more: the next update says its output whole. */
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

/** Forgets the oldest of those that have ended, and only then open ones, of which somebody may still be asked. */
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

/** What its JSON has, roughly; undefined where it is not to be held. Stops at the first bound that it meets. */
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
