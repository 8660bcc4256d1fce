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

/**
 * Returns the texts of several members of the message, or of the object at `path` in it. For invalid JSON, may throw a
 * SyntaxError or return garbage.
 */
export function rawMembers<Name extends string>(
  line: string,
  names: readonly Name[],
  path: readonly string[] = [],
): Map<Name, string> {
  const found = new Map<Name, string>();
  collectMembers(line, line.indexOf("{"), names, path, found);
  return found;
}

/** Collects the members of the object at `start`, or deeper along `path`, and returns the position after the object. */
function collectMembers<Name extends string>(
  line: string,
  start: number,
  names: readonly Name[],
  [holder, ...deeper]: readonly string[],
  found: Map<Name, string>,
): number {
  let at = skipSpace(line, start + 1);
  while (line.charCodeAt(at) === QUOTE) {
    const keyEnd = endOfString(line, at);
    const value = skipSpace(line, skipSpace(line, keyEnd) + 1);
    const name = keyOf(line.slice(at, keyEnd));
    // Of several holders with one name the last counts.
    if (name === holder) found.clear();
    const isHolder = name === holder && line.charCodeAt(value) === OPENING_BRACE;
    const end = isHolder ? collectMembers(line, value, names, deeper, found) : endOfValue(line, value);
    if (holder === undefined && (names as readonly string[]).includes(name)) {
      found.set(name as Name, line.slice(value, end));
    }
    at = skipSpace(line, end);
    if (line.charCodeAt(at) === COMMA) at = skipSpace(line, at + 1);
  }
  return at + 1;
}

function keyOf(quoted: string): string {
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/** Returns the position after the value at `start`, in a line that JSON.parse accepted. */
function endOfValue(line: string, start: number): number {
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
