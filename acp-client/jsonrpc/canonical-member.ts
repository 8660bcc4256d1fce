// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds a member's text in a line, if it is exactly what stringifyJson would write. Most agents write such JSON, and
// reusing the text of a large value is cheaper than serialising it again.
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

/** Beyond these limits the search gives up, and the value is serialised by stringifyJson. */
const depthMax = 32;
const membersMax = 64;

/** Returned where the text is not canonical, or not known to be. */
const unknown = -1;

/** The position of a value in a line, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Where the member at `path` stands, if its text is exactly what stringifyJson makes of what parseJson reads there;
 * undefined where it is not, or might not be. `line` must be an object that JSON.parse accepted, without lone
 * surrogates (text that was UTF-8 has none). Linear in the length of the line.
 */
export function canonicalMember(line: string, path: readonly string[]): Span | undefined {
  const found = { start: 0, end: 0 };
  const end = walkObject(line, line.indexOf("{"), path, found);
  return end === unknown || found.end === 0 ? undefined : found;
}

/** Returns the position after the object. Gives up if the member occurs twice, since JSON.parse takes the last. */
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

/** Returns the position after the value at `start`, if stringifyJson would write it like this. */
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

/** Gives up on numeric and repeated keys: JSON.parse moves numeric keys to the front and drops repeated ones. */
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

/** Accepts only the escapes that JSON.stringify writes. */
function canonicalStringEnd(line: string, start: number): number {
  let at = start + 1;
  let quote = line.indexOf('"', at);
  for (;;) {
    // Searches up to the quote only: searching the whole line for each string would take quadratic time.
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

/** Returns the position after a string without escapes. */
function plainStringEnd(line: string, start: number): number {
  const end = line.indexOf('"', start + 1);
  const slash = line.slice(start, end).includes("\\");
  return slash ? unknown : end + 1;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
