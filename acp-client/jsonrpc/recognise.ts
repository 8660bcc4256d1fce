// SPDX-License-Identifier: MIT OR Apache-2.0
// Recognises messages in lines that are not valid JSON. Agents print NaN, Python's repr, half a message, or two
// messages on one line. If such a response were only reported as noise, its request would wait for ever.
import { numberOf, tryParseJson } from "../../json/raw-json.ts";
import { isRequestId, type RequestId } from "./message.ts";

export type RecognisedMessage =
  /** `rawId` is the id's JSON text for the answer; undefined if the id cannot be read. */
  | { readonly type: "request"; readonly rawId: string | undefined }
  | { readonly type: "notification" }
  /** `id` is undefined if there is none, or if it cannot be read. */
  | { readonly type: "response"; readonly id: unknown };

/** Messages that are looked for in one line. */
const messagesMax = 1024;

/**
 * Returns the messages in a line that is not valid JSON, in order. To count as a message, a text must begin with `{`
 * and have `method`, or `result` or `error` with `id` or `jsonrpc`, at its top level; text that quotes a message does
 * not. Single-quoted strings are accepted. Values are skipped by matching brackets. Takes linear time.
 */
export function recogniseMessages(written: string): readonly RecognisedMessage[] {
  const line = withoutNuls(written);
  const found: RecognisedMessage[] = [];
  let at = skipSpaces(line, 0);
  const isArray = line[at] === "[";
  if (isArray) at = skipSpaces(line, at + 1);
  while (line[at] === "{" && found.length < messagesMax) {
    const { members, end } = scanTopLevel(line, at + 1);
    const message = toMessage(members);
    if (message === undefined) break;
    found.push(message);
    at = skipSpaces(line, end);
    if (isArray && line[at] === ",") at = skipSpaces(line, at + 1);
  }
  return found;
}

/** Repairs UTF-16 that was decoded as UTF-8: NULs between letters, and U+FFFD for its byte order mark. */
function withoutNuls(line: string): string {
  return line.includes("\0") ? line.replace(/^[\ufeff\ufffd]+/u, "").replaceAll("\0", "") : line;
}

type Members = ReadonlyMap<string, string>;

function toMessage(members: Members): RecognisedMessage | undefined {
  const rawId = members.get("id");
  const id = rawId === undefined ? undefined : parseId(rawId);
  if (members.has("method")) {
    if (rawId === undefined) return { type: "notification" };
    if (id === undefined) return { type: "request", rawId: undefined };
    return { type: "request", rawId: rawId.startsWith("'") ? JSON.stringify(id) : rawId };
  }
  if (!members.has("result") && !members.has("error")) return undefined;
  // A log line may have a `result` too, so a response without an id must at least have `jsonrpc`.
  return rawId === undefined && !members.has("jsonrpc") ? undefined : { type: "response", id };
}

function parseId(raw: string): RequestId | undefined {
  const id = numberOf(tryParseJson(raw.startsWith("'") ? JSON.stringify(raw.slice(1, -1)) : raw));
  return isRequestId(id) ? id : undefined;
}

const knownMembers: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "result", "error"]);

/**
 * Reads the members of an object from `start`, as far as the text is well-formed. Of several with one name the last
 * counts, as in JSON.parse. Of `result` and `error` only the presence is read; the other values must be complete.
 */
function scanTopLevel(line: string, start: number): { readonly members: Members; readonly end: number } {
  const members = new Map<string, string>();
  let at = skipSpaces(line, start);
  while (isQuote(line[at])) {
    const nameEnd = findQuoteEnd(line, at);
    const name = line.slice(at + 1, nameEnd - 1);
    const colon = skipSpaces(line, nameEnd);
    if (line[colon] !== ":") return { members, end: line.length };
    const valueStart = skipSpaces(line, colon + 1);
    const valueEnd = findValueEnd(line, valueStart);
    const next = skipSpaces(line, valueEnd);
    const isComplete = line[next] === "," || line[next] === "}";
    if (name === "result" || name === "error") members.set(name, "");
    else if (isComplete && knownMembers.has(name)) members.set(name, line.slice(valueStart, valueEnd));
    if (line[next] === "}") return { members, end: next + 1 };
    if (!isComplete) return { members, end: line.length };
    at = skipSpaces(line, next + 1);
  }
  return { members, end: line[at] === "}" ? at + 1 : line.length };
}

function findValueEnd(line: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < line.length) {
    const character = line[at];
    if (isQuote(character)) {
      at = findQuoteEnd(line, at);
      if (depth === 0) return at;
      continue;
    }
    if (depth === 0 && (character === "," || character === "}" || character === "]")) return at;
    if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    at += 1;
    if (depth === 0 && (character === "}" || character === "]")) return at;
  }
  return at;
}

/** Returns the position after the closing quote, or the end of the line. */
function findQuoteEnd(line: string, start: number): number {
  const quote = line[start] ?? '"';
  let end = line.indexOf(quote, start + 1);
  while (end !== -1 && isEscaped(line, end)) end = line.indexOf(quote, end + 1);
  return end === -1 ? line.length : end + 1;
}

function isEscaped(line: string, quote: number): boolean {
  let at = quote - 1;
  while (line[at] === "\\") at -= 1;
  return (quote - at) % 2 === 0;
}

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'";
}

function skipSpaces(line: string, start: number): number {
  let at = start;
  while (line[at] === " " || line[at] === "\t" || line[at] === "\r") at += 1;
  return at;
}
