// SPDX-License-Identifier: MIT OR Apache-2.0
// Bounds what an agent wrote by leaving out its longest members. The log still has all of it.
import { stringifyJson } from "../../../json/raw-json.ts";
import { utf8Length } from "../../../json/utf8-length.ts";

/** A value and its sizes in UTF-8 bytes as JSON, measured once, because it may be long. */
export interface MeasuredFields<T> {
  readonly value: T;
  readonly bytes: number;
  /** The members that may be left out, longest first. */
  readonly droppable: readonly { readonly name: string; readonly bytes: number }[];
}

export interface BoundedFields<T> {
  readonly value: T;
  /** An upper bound of its size. */
  readonly bytes: number;
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

/** Leaves out the longest droppable members until the value takes at most `bytesMax`, or none is left. */
export function boundFields<T extends object>(
  { value, bytes, droppable }: MeasuredFields<T>,
  bytesMax: number,
): BoundedFields<T> {
  if (bytes <= bytesMax) return { value, bytes, omitted: [] };
  let left = bytes;
  const omitted: string[] = [];
  for (const part of droppable) {
    if (left <= bytesMax) break;
    omitted.push(part.name);
    left -= part.bytes;
  }
  const remaining = Object.entries(value).filter(([name]) => !omitted.includes(name));
  return { value: Object.fromEntries(remaining) as T, bytes: left, omitted };
}

/** Replaces the longest members by their `empty` value until all takes at most `bytesMax`; lists them in `left_out`. */
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

export function jsonBytes(value: unknown): number {
  return utf8Length(stringifyJson(value) ?? "");
}

/** Truncates to `max` UTF-16 units including the ellipsis, without splitting a surrogate pair. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
