// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads members of a line as their JSON text. JSON.parse loses how an id was written (1.0, 1e3, 9007199254740993,
// "a\u0041"), and a peer may compare ids as text, so they are echoed as text.

import {
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COMMA,
  endOfString,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  skipSpace,
  SPACE,
} from "../../json/source-text.ts";

export const OPENING: ReadonlySet<number> = new Set([OPENING_BRACKET, OPENING_BRACE]);
export const CLOSING: ReadonlySet<number> = new Set([CLOSING_BRACKET, CLOSING_BRACE]);

/**
 * Returns the text of a top-level member; of several with one name, the last, as JSON.parse does. `line` must be an
 * object that JSON.parse accepted. Takes linear time.
 */
export function rawMember(line: string, name: string): string | undefined {
  return rawMembers(line, [name]).get(name);
}

/** Returns the texts of several members. For invalid JSON, may throw a SyntaxError or return garbage. */
export function rawMembers(line: string, names: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  let at = skipSpace(line, line.indexOf("{") + 1);
  while (line.charCodeAt(at) === QUOTE) {
    const keyEnd = endOfString(line, at);
    const valueStart = skipSpace(line, skipSpace(line, keyEnd) + 1);
    const valueEnd = endOfValue(line, valueStart);
    const name = keyOf(line.slice(at, keyEnd));
    if (names.includes(name)) found.set(name, line.slice(valueStart, valueEnd));
    const next = skipSpace(line, valueEnd);
    at = line.charCodeAt(next) === COMMA ? skipSpace(line, next + 1) : next;
  }
  return found;
}

function keyOf(quoted: string): string {
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/** Returns the position after the value at `start`, in a line that JSON.parse accepted. */
export function endOfValue(line: string, start: number): number {
  const first = line.charCodeAt(start);
  if (first === QUOTE) return endOfString(line, start);
  return OPENING.has(first) ? nestedEnd(line, start) : scalarEnd(line, start);
}

function nestedEnd(line: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < line.length) {
    const code = line.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(line, at);
      continue;
    }
    if (OPENING.has(code)) depth += 1;
    if (CLOSING.has(code)) depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return at;
}

function scalarEnd(line: string, start: number): number {
  let at = start;
  while (at < line.length) {
    const code = line.charCodeAt(at);
    if (code === COMMA || CLOSING.has(code) || SPACE.has(code)) return at;
    at += 1;
  }
  return at;
}
