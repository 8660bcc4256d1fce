// SPDX-License-Identifier: MIT OR Apache-2.0
// The part of a text that `line` and `limit` ask for.
import { Refused } from "./refusal.ts";

/** null is what ACP's wire has for what is left out. */
export interface Window {
  /** The first line, from 1; 0, which the wire allows, is the first one too. */
  readonly line?: number | null;
  /** How many lines at most. */
  readonly limit?: number | null;
}

/**
 * Lines with what ends them, as they stand: "\n", and so "\r\n" too; a "\r" alone ends none. "" for what is past the
 * end. Throws `Refused` for what is negative or no whole number.
 */
export function lineWindow(text: string, { line, limit }: Window): string {
  const first = counted("line", line) ?? 1;
  const count = counted("limit", limit);
  const start = afterLines(text, 0, Math.max(first, 1) - 1);
  return count === undefined ? text.slice(start) : text.slice(start, afterLines(text, start, count));
}

function afterLines(text: string, start: number, lines: number): number {
  let at = start;
  for (let passed = 0; passed < lines && at < text.length; passed++) {
    const end = text.indexOf("\n", at);
    at = end === -1 ? text.length : end + 1;
  }
  return at;
}

function counted(name: string, value: number | null | undefined): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (Number.isInteger(value) && value >= 0) return value;
  throw new Refused("range", `${name} is ${value}; it must be a whole number, of lines from 1 on.`);
}
