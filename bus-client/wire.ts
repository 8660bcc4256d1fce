// SPDX-License-Identifier: MIT OR Apache-2.0

import { BusError } from "./bus-error.ts";
import { isSerdeJson } from "./serde-json.ts";
import { hasWhiteSpace, isWhiteSpace, trimBoth, trimTail } from "./white-space.ts";

/** A plain object with case-sensitive keys. Use `setHeader` to set them, which is safe for `__proto__` too. */
export type FrameHeaders = Record<string, string>;

export interface Frame {
  readonly headers: FrameHeaders;
  readonly body: string;
}

export interface ParsedFrame extends Frame {
  /** Header lines that are not of the form `key: value`, as [line number from 1, raw line]. */
  readonly skipped: readonly (readonly [number, string])[];
  /** Headers whose value starts like JSON but is not JSON, as [key, value]. They are kept in `headers` too. */
  readonly jsonErrors: readonly (readonly [string, string])[];
}

/** Non-empty header lines read from one message. The rest is reported as one skipped line. */
const headerLinesMax = 4096;

/** The maximum bytes of one message, which is one WebSocket frame. Readers refuse a larger one. */
export const frameBytesMax = 8 * 1024 * 1024;

/** Whether a text with `more` bytes after it exceeds `max` bytes of UTF-8. Counts them only if a cheap bound does. */
export function exceedsBytes(text: string, max: number, more = 0): boolean {
  return text.length * 3 + more > max && Buffer.byteLength(text) + more > max;
}

const openingFence = "---\n";
const closingFence = "\n---\n";

/**
 * Parses a message leniently, as every broker and client of the Bus does: invalid headers are reported, not refused.
 * Throws BusError MISSING_OPENING_FENCE, whose message quotes the first 40 characters.
 */
export function parse(text: string): ParsedFrame {
  if (!text.startsWith(openingFence)) {
    throw new BusError("MISSING_OPENING_FENCE", `Bus message must start with '---\\n', got: ${quoteHead(text)}`);
  }
  const fence = text.indexOf(closingFence, openingFence.length);
  if (fence >= 0) {
    return readHeaders(text.slice(openingFence.length, fence), trimTail(text.slice(fence + closingFence.length)));
  }
  return readHeaders(dropUnfinishedFence(text.slice(openingFence.length)), "");
}

/** Parses like `parse`, but throws BusError NON_COMPLIANT for invalid headers. For tools and tests. */
export function parseStrict(text: string): ParsedFrame {
  const frame = parse(text);
  const { skipped, jsonErrors } = frame;
  if (skipped.length === 0 && jsonErrors.length === 0) return frame;
  const first = skipped[0]
    ? `line ${skipped[0][0]}: ${JSON.stringify(skipped[0][1])}`
    : `${jsonErrors[0]![0]}: ${JSON.stringify(jsonErrors[0]![1])}`;
  throw new BusError(
    "NON_COMPLIANT",
    `${skipped.length} skipped lines, ${jsonErrors.length} JSON errors; first: ${first}`,
  );
}

/**
 * Writes a message. The format has no escapes, so a message that a reader would read differently is refused with BusError
 * UNSERIALISABLE: a line break in a key or value, an empty key or one with white space or ": ", a value that starts like
 * JSON but is not JSON, more than 4096 headers, a body without any header.
 */
export function serialise(frame: { readonly headers: FrameHeaders; readonly body?: string }): string {
  const { headers } = frame;
  const body = frame.body ?? "";
  const keys = Object.keys(headers);
  if (keys.length === 0 && body !== "") refuse("a body without any header would be lost");
  if (keys.length > headerLinesMax) refuse(`more than ${headerLinesMax} headers`);
  for (const key of keys) checkHeader(key, headers[key]!);
  return writeFrame(headers, keys, body);
}

/**
 * Writes the result of `parse` without checks, since a broker must forward even invalid headers. Parsed keys and values
 * contain no line feed, so this cannot add headers. Must not be used for other text.
 */
export function serialiseParsed(headers: FrameHeaders, body: string): string {
  return writeFrame(headers, Object.keys(headers), body);
}

/** Sets a header. A plain assignment would lose one named `__proto__`. */
export function setHeader(headers: FrameHeaders, key: string, value: string): void {
  if (key === "__proto__") {
    Object.defineProperty(headers, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    headers[key] = value;
  }
}

/** Quotes the first 40 characters as the reference library (Rust's `{:?}`) does. */
function quoteHead(text: string): string {
  const head = Array.from(text.slice(0, 80)).slice(0, 40).join("");
  // oxlint-disable-next-line no-control-regex -- control characters are what is escaped here
  return `"${head.replace(/["\\\u0000-\u001f\u007f-\u009f]/gu, escapeCharacter)}"`;
}

function escapeCharacter(character: string): string {
  const known: Record<string, string> = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\0": "\\0",
  };
  return known[character] ?? `\\u{${character.charCodeAt(0).toString(16)}}`;
}

/** Drops a partial closing fence at the end of a message, the longest form that matches. A missing one is accepted. */
function dropUnfinishedFence(rest: string): string {
  for (const ending of ["\n---", "---\n", "---"]) {
    if (rest.endsWith(ending)) return rest.slice(0, -ending.length);
  }
  return rest;
}

const nothing: readonly never[] = [];

function readHeaders(block: string, body: string): ParsedFrame {
  const headers: FrameHeaders = {};
  let skipped: [number, string][] | undefined;
  let jsonErrors: [string, string][] | undefined;
  let counted = 0;
  let lineNumber = 0;
  let start = 0;
  /** The index of the next ": ", perhaps lines ahead. It is cached so that the block is scanned at most twice. */
  let colon = -1;
  while (start < block.length) {
    const feed = block.indexOf("\n", start);
    const next = feed < 0 ? block.length : feed;
    // A carriage return is part of the line break only before a line feed.
    const end = feed > start && block.charCodeAt(feed - 1) === 13 ? feed - 1 : next;
    const lineStart = start;
    start = next + 1;
    lineNumber++;
    if (end === lineStart) continue;
    if (counted === headerLinesMax) {
      (skipped ??= []).push([lineNumber, `header line count exceeds ${headerLinesMax}; remaining lines skipped`]);
      break;
    }
    counted++;
    if (colon < lineStart) colon = indexOrEnd(block, lineStart);
    if (colon + 2 > end) {
      (skipped ??= []).push([lineNumber, block.slice(lineStart, end)]);
      continue;
    }
    const key = trimBoth(block.slice(lineStart, colon));
    const value = trimBoth(block.slice(colon + 2, end));
    if (key === "" || isWhiteSpace(block.charCodeAt(lineStart)) || hasWhiteSpace(key)) {
      (skipped ??= []).push([lineNumber, block.slice(lineStart, end)]);
    }
    if (looksLikeJson(value) && !isSerdeJson(value)) (jsonErrors ??= []).push([key, value]);
    setHeader(headers, key, value);
  }
  return { headers, body, skipped: skipped ?? nothing, jsonErrors: jsonErrors ?? nothing };
}

function indexOrEnd(block: string, start: number): number {
  const found = block.indexOf(": ", start);
  return found < 0 ? block.length : found;
}

function looksLikeJson(value: string): boolean {
  const first = value.charCodeAt(0);
  return first === 0x5b || first === 0x7b;
}

const plainKey = /^[A-Za-z0-9_.-]+$/;
const lineBreak = /[\n\r]/;

function checkHeader(key: string, value: string): void {
  if (typeof value !== "string") refuse(`header ${JSON.stringify(key)} is not text`);
  if (!plainKey.test(key)) {
    if (key === "") refuse("an empty key");
    if (hasWhiteSpace(key)) refuse(`white space in the key ${JSON.stringify(key)}`);
  }
  if (lineBreak.test(value)) refuse(`a line break in the value of ${JSON.stringify(key)}`);
  const read = trimBoth(value);
  if (looksLikeJson(read) && !isSerdeJson(read)) {
    refuse(`the value of ${JSON.stringify(key)} starts like JSON but is not JSON`);
  }
}

function refuse(reason: string): never {
  throw new BusError("UNSERIALISABLE", `cannot be written as a Bus message: ${reason}`);
}

function writeFrame(headers: FrameHeaders, keys: string[], body: string): string {
  sortByBytes(keys);
  let text = openingFence;
  for (const key of keys) text += `${key}: ${headers[key]!}\n`;
  return text + openingFence + body + missingLineFeed(body);
}

/** Returns the line feed that a body must end with, if it is missing. */
function missingLineFeed(body: string): string {
  return body === "" || body.endsWith("\n") ? "" : "\n";
}

/**
 * Sorts by UTF-8 bytes. JavaScript sorts by UTF-16 units, which differs only for characters beyond U+FFFF. Keys that are
 * already in order, as in frequent messages, are not sorted again.
 */
function sortByBytes(keys: string[]): void {
  let isAscending = true;
  let isPlain = true;
  for (let index = 0; index < keys.length; index++) {
    if (index > 0 && keys[index - 1]! > keys[index]!) isAscending = false;
    if (!plainKey.test(keys[index]!)) isPlain = false;
  }
  if (!isPlain) keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  else if (!isAscending) keys.sort();
}
