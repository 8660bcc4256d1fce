// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds the part of a text that `line` and `limit` select in its UTF-8 bytes, so that only that part is decoded.
import { Refused } from "./refusal.ts";

/** ACP sends null for an omitted member. */
export interface Window {
  /** The first line, from 1; ACP allows 0, which counts as 1. */
  readonly line?: number | null | undefined;
  readonly limit?: number | null | undefined;
}

/**
 * Keeps line ends as they are. A line ends with "\n" (and so with "\r\n"), not with "\r" alone. Empty past the end of
 * the text. Throws `Refused` for a negative or fractional number.
 */
export function lineWindow(utf8: Buffer, { line, limit }: Window): Buffer {
  const first = checkCount("line", line) ?? 1;
  const count = checkCount("limit", limit);
  const start = skipLines(utf8, 0, Math.max(first, 1) - 1);
  return utf8.subarray(start, count === undefined ? undefined : skipLines(utf8, start, count));
}

/** A byte loop: `indexOf` for each line end is many times slower on a text of empty lines. */
function skipLines(utf8: Buffer, start: number, lines: number): number {
  let at = start;
  for (let left = lines; left > 0 && at < utf8.length; at++) {
    if (utf8[at] === newline) left--;
  }
  return at;
}

const newline = 0x0a;

function checkCount(name: string, value: number | null | undefined): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (Number.isInteger(value) && value >= 0) return value;
  throw new Refused("range", `${name} is ${value}; it must be a whole number, not negative.`);
}
