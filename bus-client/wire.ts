// SPDX-License-Identifier: MIT OR Apache-2.0

import { BusError } from "./bus-error.ts";
import { withEnd } from "./pieces.ts";
import type { Pieces } from "./pieces.ts";
import { isReferenceJson } from "./reference-json.ts";
import { hasWhiteSpace, isWhiteSpace, trimBoth, trimTail } from "./white-space.ts";

/** A plain object: keys are case-sensitive, and every name is safe as a key, `__proto__` included. */
export type FrameHeaders = Record<string, string>;

export interface Frame {
  readonly headers: FrameHeaders;
  readonly body: string;
}

export interface ParsedFrame extends Frame {
  /** Header lines that are not of the form `key: value`: [line number within the block from 1, the raw line]. */
  readonly skipped: readonly (readonly [number, string])[];
  /** Headers whose value begins like JSON and is none; they are kept: [key, value]. */
  readonly jsonErrors: readonly (readonly [string, string])[];
}

/** Non-empty lines of one header block that are read; the rest is reported as one skipped line. */
const headerLinesMax = 4096;

/** Bytes of one message: one message is one WebSocket frame, and no reader takes a larger one. */
export const frameBytesMax = 8 * 1024 * 1024;

const openingFence = "---\n";
const closingFence = "\n---\n";

/**
 * Reads a message as every broker and client of the Bus does: what is odd is reported, not refused.
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

/** As `parse`, but throws BusError NON_COMPLIANT when there is anything to report. For tools and tests. */
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
 * Writes a message. The format has no escapes, so whatever a reader would take for something else is refused with
 * BusError UNSERIALISABLE: a line break in a key or value, an empty key or one with white space or ": ", a value that
 * begins like JSON and is none, more than 4096 headers, a body without any header.
 */
export function serialise(frame: { readonly headers: FrameHeaders; readonly body?: string }): string {
  const { headers } = frame;
  const body = frame.body ?? "";
  const keys = Object.keys(headers);
  if (keys.length === 0 && body !== "") refuse("a body without any header would be lost");
  if (keys.length > headerLinesMax) refuse(`more than ${headerLinesMax} headers`);
  for (const key of keys) checkHeader(key, headers[key]!);
  return write(headers, keys, body);
}

/**
 * Writes what `parse` returned, oddities and all: a broker carries through what it does not understand.
 * Parsed keys and values cannot hold a line feed, so this cannot add headers. Not for text from elsewhere.
 */
export function serialiseParsed(headers: FrameHeaders, body: string): string {
  return write(headers, Object.keys(headers), body);
}

/** As `serialiseParsed`, in pieces: joining them would copy the body, which may be large and goes out as it is. */
export function serialisePieces(headers: FrameHeaders, body: string | Pieces): Pieces {
  return [write(headers, Object.keys(headers), ""), ...withEnd(typeof body === "string" ? [body] : body)];
}

/** Sets a header on a plain object; assignment alone would lose one that is named `__proto__`. */
export function setHeader(headers: FrameHeaders, key: string, value: string): void {
  if (key === "__proto__") {
    Object.defineProperty(headers, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    headers[key] = value;
  }
}

/** The first 40 characters, quoted as the reference library quotes them. */
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

/** A missing closing fence is accepted; of one that is there in part, at most one form is dropped, the longest first. */
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
  /** The next ": " from `start` on, wherever it is: looked for once, so that no block is read more than twice. */
  let colon = -1;
  while (start < block.length) {
    const feed = block.indexOf("\n", start);
    const next = feed < 0 ? block.length : feed;
    // A carriage return belongs to the line's end only where a line feed follows it.
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
    if (looksLikeJson(value) && !isReferenceJson(value)) (jsonErrors ??= []).push([key, value]);
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
  if (looksLikeJson(read) && !isReferenceJson(read)) {
    refuse(`the value of ${JSON.stringify(key)} begins like JSON and is none`);
  }
}

function refuse(reason: string): never {
  throw new BusError("UNSERIALISABLE", `cannot be written as a Bus message: ${reason}`);
}

function write(headers: FrameHeaders, keys: string[], body: string): string {
  sortByBytes(keys);
  let text = openingFence;
  for (const key of keys) text += `${key}: ${headers[key]!}\n`;
  return text + openingFence + body + missingEnd(body);
}

/** A body ends with a line feed. */
function missingEnd(body: string): string {
  return body === "" || body.endsWith("\n") ? "" : "\n";
}

/**
 * Ascending UTF-8 byte order. JavaScript's own order is by UTF-16 units, which is the same but for characters beyond
 * U+FFFF; those who write often put their keys in order, and are not made to wait for a sort.
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
