// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent wrote, as much of it as fits. The log has all of it.
import { stringifyJson } from "../../../json/raw-json.ts";
import { utf8Length } from "../../../json/utf8-length.ts";

/** A value with its sizes in bytes of UTF-8 as JSON, taken once: it may be as long as a line of an agent is. */
export interface Measured<T> {
  readonly value: T;
  readonly bytes: number;
  /** The members that may go, longest first. */
  readonly parts: readonly { readonly name: string; readonly bytes: number }[];
}

/** Measured again, without being looked through again: `bytes` is what it takes at the most. */
export interface Fitted<T> extends Measured<T> {
  /** Names of the members that are not there, though the agent gave them. */
  readonly leftOut: readonly string[];
}

export function measure<T extends object>(value: T, mayGo: readonly (keyof T & string)[]): Measured<T> {
  const parts = mayGo
    .filter((name) => value[name] !== undefined)
    .map((name) => ({ name, bytes: bytesOf(name) + bytesOf(value[name]) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  return { value, bytes: bytesOf(value), parts };
}

/**
 * Leaves out the longest of the members that may go until the whole takes at most `bytesMax`. What cannot be made so
 * short is given without all of them.
 */
export function fit<T extends object>({ value, bytes, parts }: Measured<T>, bytesMax: number): Fitted<T> {
  if (bytes <= bytesMax) return { value, bytes, parts, leftOut: [] };
  let left = bytes;
  const leftOut: string[] = [];
  for (const part of parts) {
    if (left <= bytesMax) break;
    leftOut.push(part.name);
    left -= part.bytes;
  }
  const kept = Object.entries(value).filter(([name]) => !leftOut.includes(name));
  return { value: Object.fromEntries(kept) as T, bytes: left, parts: parts.slice(leftOut.length), leftOut };
}

/** As it is, or with the longest of the members that can be empty left so; then it says which, in `left_out`. */
export function emptied<T extends object>(
  value: T,
  empty: Partial<T>,
  bytesMax: number,
): T & { readonly left_out?: readonly string[] } {
  const { leftOut } = fit(measure(value, Object.keys(empty) as (keyof T & string)[]), bytesMax);
  if (leftOut.length === 0) return value;
  const without = Object.fromEntries(Object.entries(empty).filter(([name]) => leftOut.includes(name)));
  return { ...value, ...without, left_out: leftOut };
}

/** Of its JSON, in UTF-8. */
export function bytesOf(value: unknown): number {
  return utf8Length(stringifyJson(value) ?? "");
}

/** At most so many UTF-16 units, no character cut in two. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
