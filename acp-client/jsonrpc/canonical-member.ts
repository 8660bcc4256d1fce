// SPDX-License-Identifier: MIT OR Apache-2.0
// A member of a line as the very text that stringifyJson would write of it. Most agents write JSON so; where one did,
// a large value need not be written again, which costs more than reading it.
import {
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  skipSpace,
} from "../../json/source-text.ts";
import { endOfValue } from "./raw-member.ts";

const ZERO = 48;
const NINE = 57;

/** Deeper values, and objects with more members, are left to stringifyJson. */
const depthMax = 32;
const membersMax = 64;

/** What cannot be said to be canonical, or is not looked at closely enough to say so. */
const unknown = -1;

/** Where in a line a value stands, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Where the member at `path` stands, if its text is exactly what stringifyJson makes of what parseJson reads there;
 * undefined where it is not, or might not be. `line` must be an object that JSON.parse accepted, without lone surrogates
 * (text that was UTF-8 has none). Linear in the length of the line.
 */
export function canonicalMember(line: string, path: readonly string[]): Span | undefined {
  const found = { start: 0, end: 0 };
  const end = walkObject(line, line.indexOf("{"), path, found);
  return end === unknown || found.end === 0 ? undefined : found;
}

/** Past the object's end. Of a member that comes twice JSON.parse takes the last: such a line is left alone. */
function walkObject(
  line: string,
  start: number,
  path: readonly string[],
  found: { start: number; end: number },
): number {
  const [name, ...inner] = path;
  let seen = false;
  let at = skipSpace(line, start + 1);
  while (line.charCodeAt(at) === QUOTE) {
    const keyEnd = plainStringEnd(line, at);
    if (keyEnd === unknown) return unknown;
    const value = skipSpace(line, skipSpace(line, keyEnd) + 1);
    let end: number;
    if (line.slice(at + 1, keyEnd - 1) !== name) end = endOfValue(line, value);
    else if (seen) return unknown;
    else {
      seen = true;
      end = inner.length === 0 ? canonicalEnd(line, value, 0) : walkMember(line, value, inner, found);
      if (inner.length === 0) {
        found.start = value;
        found.end = end;
      }
    }
    if (end === unknown) return unknown;
    at = skipSpace(line, end);
    if (line.charCodeAt(at) === COMMA) at = skipSpace(line, at + 1);
  }
  return at + 1;
}

function walkMember(
  line: string,
  value: number,
  inner: readonly string[],
  found: { start: number; end: number },
): number {
  return line.charCodeAt(value) === OPENING_BRACE ? walkObject(line, value, inner, found) : unknown;
}

/** Past the value that begins at `start`, if it stands there as stringifyJson writes it. */
function canonicalEnd(line: string, start: number, depth: number): number {
  if (depth > depthMax) return unknown;
  switch (line.charCodeAt(start)) {
    case QUOTE:
      return canonicalStringEnd(line, start);
    case OPENING_BRACKET:
      return canonicalArrayEnd(line, start, depth);
    case OPENING_BRACE:
      return canonicalObjectEnd(line, start, depth);
    default:
      // true, false and null have one spelling, and a number keeps its own.
      return endOfValue(line, start);
  }
}

function canonicalArrayEnd(line: string, start: number, depth: number): number {
  let at = start + 1;
  if (line.charCodeAt(at) === CLOSING_BRACKET) return at + 1;
  for (;;) {
    at = canonicalEnd(line, at, depth + 1);
    if (at === unknown) return unknown;
    const code = line.charCodeAt(at);
    if (code === CLOSING_BRACKET) return at + 1;
    if (code !== COMMA) return unknown;
    at += 1;
  }
}

/** JSON.parse puts keys that are numbers first, and keeps one of two that are the same. */
function canonicalObjectEnd(line: string, start: number, depth: number): number {
  const names: string[] = [];
  let at = start + 1;
  if (line.charCodeAt(at) === CLOSING_BRACE) return at + 1;
  for (;;) {
    const keyEnd = line.charCodeAt(at) === QUOTE ? plainStringEnd(line, at) : unknown;
    if (keyEnd === unknown || line.charCodeAt(keyEnd) !== COLON || isDigit(line.charCodeAt(at + 1))) return unknown;
    const name = line.slice(at + 1, keyEnd - 1);
    if (name === "__proto__" || names.length === membersMax || names.includes(name)) return unknown;
    names.push(name);
    at = canonicalEnd(line, keyEnd + 1, depth + 1);
    if (at === unknown) return unknown;
    const code = line.charCodeAt(at);
    if (code === CLOSING_BRACE) return at + 1;
    if (code !== COMMA) return unknown;
    at += 1;
  }
}

/** The escapes that JSON.stringify writes, and no other. */
function canonicalStringEnd(line: string, start: number): number {
  let at = start + 1;
  let quote = line.indexOf('"', at);
  for (;;) {
    // Only as far as the quote: to the end of the line, each of many strings would be a pass over all of it.
    const slash = line.slice(at, quote).indexOf("\\");
    if (slash === -1) return quote + 1;
    at = canonicalEscapeEnd(line, at + slash);
    if (at === unknown) return unknown;
    if (quote < at) quote = line.indexOf('"', at);
  }
}

const shortEscapes = new Set(Buffer.from('"\\bfnrt'));
const canonicalCode = /^u00(?:0[0-7bef]|1[0-9a-f])$/;

function canonicalEscapeEnd(line: string, slash: number): number {
  if (shortEscapes.has(line.charCodeAt(slash + 1))) return slash + 2;
  return canonicalCode.test(line.slice(slash + 1, slash + 6)) ? slash + 6 : unknown;
}

/** Past the closing quote of a string without escapes. */
function plainStringEnd(line: string, start: number): number {
  const end = line.indexOf('"', start + 1);
  const slash = line.slice(start, end).includes("\\");
  return slash ? unknown : end + 1;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
