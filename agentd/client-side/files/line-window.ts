// SPDX-License-Identifier: MIT OR Apache-2.0
// The part of a text that `line` and `limit` ask for, found in its UTF-8: only what is handed over is worth decoding.
import { Refused } from "./refusal.ts";

/** null is what ACP's wire has for what is left out. */
export interface Window {
  /** The first line, from 1; 0, which the wire allows, is the first one too. */
  readonly line?: number | null;
  /** How many lines at most. */
  readonly limit?: number | null;
}

/**
 * Lines with what ends them, as they stand: "\n", and so "\r\n" too; a "\r" alone ends none. Nothing for what is past the
 * end. Throws `Refused` for what is negative or no whole number.
 */
export function lineWindow(utf8: Buffer, { line, limit }: Window): Buffer {
  const first = checkCount("line", line) ?? 1;
  const count = checkCount("limit", limit);
  const start = skipLines(utf8, 0, Math.max(first, 1) - 1);
  return utf8.subarray(start, count === undefined ? undefined : skipLines(utf8, start, count));
}

/** Byte by byte: a search for each next end costs many times as much in a text of empty lines. */
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
  throw new Refused("range", `${name} is ${value}; it must be a whole number, of lines from 1 on.`);
}
