// SPDX-License-Identifier: MIT OR Apache-2.0
// JSON without loss. JSON.parse turns every number into a double: 1193820475610234881 becomes …234900, 1e400 infinite,
// -0 zero, and 1.10 is written back as 1.1. Such a number is kept here as its source text. Node.js 22 has this built in
// (the reviver's source text and JSON.rawJSON); this module is for older versions.
import { endOfString, QUOTE } from "./source-text.ts";

/**
 * The source text of a value: of a number that JavaScript would write differently, or of a value that is kept as it was
 * written. It must be valid JSON without a lone surrogate.
 */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  /** Of a number, the nearest double, for arithmetic and comparisons. */
  valueOf(): number {
    return Number(this.text);
  }

  /**
   * JSON.stringify alone cannot write the text as it is: without `stringifyJson` it becomes a string, which loses no
   * digit of a number.
   */
  toJSON(): string {
    if (written === undefined) return this.text;
    return `${mark()}${written.push(this.text) - 1}`;
  }
}

/** The texts that stand in the result as placeholders, while stringifyJson runs. */
let written: string[] | undefined;
let secretMark: string | undefined;

/**
 * The prefix that tells placeholders from other strings. It is random and never leaves this module, so nobody can forge
 * one; it is short, as a text may have a million numbers.
 */
function mark(): string {
  // Web Crypto exists in Node and browsers. Its type is declared here, as this file is compiled without the types of
  // either.
  const { crypto } = globalThis as unknown as { readonly crypto: { randomUUID(): string } };
  secretMark ??= `#${crypto.randomUUID().slice(0, 8)}#`;
  return secretMark;
}

/**
 * Like JSON.parse, but a number that would not be written back unchanged becomes a RawJson. Throws as JSON.parse does.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const rewritten = withMarkedNumbers(text);
  return rewritten === undefined ? value : withoutMarks(JSON.parse(rewritten));
}

/** Like parseJson, but returns undefined for a text that is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Like JSON.stringify, but writes each RawJson as its source text. */
export function stringifyJson(value: unknown, indent?: number): string {
  if (value instanceof RawJson) return value.text;
  const texts: string[] = [];
  written = texts;
  let text: string;
  try {
    text = JSON.stringify(value, undefined, indent);
  } finally {
    written = undefined;
  }
  if (texts.length === 0) return text;
  return text.replaceAll(new RegExp(`"${mark()}([0-9]+)"`, "g"), (_, index: string) => texts[Number(index)]!);
}

/** Converts a RawJson to the nearest double; returns anything else unchanged. */
export function numberOf(value: unknown): unknown {
  return value instanceof RawJson ? value.valueOf() : value;
}

/**
 * Converts the object's own numbers to doubles, in place: those that the caller reads itself. Deeper numbers, which
 * others may read, keep their source text. Returns anything but an object unchanged.
 */
export function withDoubles<T>(members: T): T {
  if (typeof members !== "object" || members === null || Array.isArray(members)) return members;
  const own = members as Record<string, unknown>;
  for (const name of Object.keys(own)) own[name] = numberOf(own[name]);
  return members;
}

/** Replaces each number that JavaScript would write differently by a marked string. Undefined if there is none. */
function withMarkedNumbers(text: string): string | undefined {
  let rewritten = "";
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      if (!isWrittenBack(text, at, end)) {
        rewritten += `${text.slice(copied, at)}"${mark()}${text.slice(at, end)}"`;
        copied = end;
      }
      at = end;
    } else {
      at += 1;
    }
  }
  return copied === 0 ? undefined : rewritten + text.slice(copied);
}

const PLUS = 43;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const NINE = 57;
const UPPER_E = 69;
const LOWER_E = 101;

/** Digits that a double always holds exactly. */
const safeDigits = 15;

function isWrittenBack(text: string, start: number, end: number): boolean {
  const isShort = end - start <= safeDigits && text.charCodeAt(start) !== MINUS;
  if (isShort && isAllDigits(text, start, end)) return true;
  const token = text.slice(start, end);
  return String(Number(token)) === token;
}

function isAllDigits(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (!isDigit(text.charCodeAt(at))) return false;
  return true;
}

function endOfNumber(text: string, start: number): number {
  let at = start;
  while (at < text.length && isOfNumber(text.charCodeAt(at))) at += 1;
  return at;
}

function isOfNumber(code: number): boolean {
  return isDigit(code) || code === DOT || code === MINUS || code === PLUS || code === LOWER_E || code === UPPER_E;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** Replaces each marked string by a RawJson. Accepts any depth, as JSON.parse does. */
function withoutMarks(root: unknown): unknown {
  const holder: Record<string, unknown> = { root };
  const waiting: object[] = [holder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const members = next as Record<string, unknown>;
    for (const name of Object.keys(members)) {
      const member = members[name];
      if (typeof member === "string") {
        // JSON.parse made it an own member, so that even `__proto__` is assigned like any other.
        if (member.startsWith(mark())) members[name] = new RawJson(member.slice(mark().length));
      } else if (typeof member === "object" && member !== null) {
        waiting.push(member);
      }
    }
  }
  return holder["root"];
}
