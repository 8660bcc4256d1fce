// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent wrote, as much of it as fits. The log has all of it.
import { stringifyJson } from "../../../json/raw-json.ts";
import { utf8Length } from "../../../json/utf8-length.ts";

/** A value with its sizes in bytes of UTF-8 as JSON, taken once: it may be as long as a line of an agent is. */
export interface MeasuredFields<T> {
  readonly value: T;
  readonly bytes: number;
  /** The members that may go, longest first. */
  readonly droppable: readonly { readonly name: string; readonly bytes: number }[];
}

/** Measured again, without being looked through again: `bytes` is what it takes at the most. */
export interface BoundedFields<T> extends MeasuredFields<T> {
  /** Names of the members that are not there, though the agent gave them. */
  readonly omitted: readonly string[];
}

export function measureFields<T extends object>(
  value: T,
  droppableNames: readonly (keyof T & string)[],
): MeasuredFields<T> {
  const droppable = droppableNames
    .filter((name) => value[name] !== undefined)
    .map((name) => ({ name, bytes: jsonBytes(name) + jsonBytes(value[name]) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  return { value, bytes: jsonBytes(value), droppable };
}

/**
 * Leaves out the longest of the members that may go until the whole takes at most `bytesMax`. What cannot be made so
 * short is given without all of them.
 */
export function boundFields<T extends object>(
  { value, bytes, droppable }: MeasuredFields<T>,
  bytesMax: number,
): BoundedFields<T> {
  if (bytes <= bytesMax) return { value, bytes, droppable, omitted: [] };
  let left = bytes;
  const omitted: string[] = [];
  for (const part of droppable) {
    if (left <= bytesMax) break;
    omitted.push(part.name);
    left -= part.bytes;
  }
  const remaining = Object.entries(value).filter(([name]) => !omitted.includes(name));
  return {
    value: Object.fromEntries(remaining) as T,
    bytes: left,
    droppable: droppable.slice(omitted.length),
    omitted,
  };
}

/** As it is, or with the longest of the members that can be empty left so; then it says which, in `left_out`. */
export function truncateFields<T extends object>(
  value: T,
  empty: Partial<T>,
  bytesMax: number,
): T & { readonly left_out?: readonly string[] } {
  const { omitted } = boundFields(measureFields(value, Object.keys(empty) as (keyof T & string)[]), bytesMax);
  if (omitted.length === 0) return value;
  const without = Object.fromEntries(Object.entries(empty).filter(([name]) => omitted.includes(name)));
  return { ...value, ...without, left_out: omitted };
}

/** Of its JSON, in UTF-8. */
export function jsonBytes(value: unknown): number {
  return utf8Length(stringifyJson(value) ?? "");
}

/** At most so many UTF-16 units, no character cut in two. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
