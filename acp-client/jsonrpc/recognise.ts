// SPDX-License-Identifier: MIT OR Apache-2.0
// What a line that could not be read was meant to be. Agents print NaN, Python's repr, half a message, or two messages
// without the newline between them, and an answer that is only reported as noise leaves its request waiting for ever.

export type Recognised =
  /** `rawId`: the JSON text to answer it with; undefined where its id cannot be read. */
  | { readonly type: "request"; readonly rawId: string | undefined }
  | { readonly type: "notification" }
  /** `id` is undefined where it has none. */
  | { readonly type: "response"; readonly id: unknown };

/** More messages of one line are not looked for. */
const messagesMax = 1024;

/**
 * The messages of a line that is not JSON, or that holds several, in order. A line is taken for a message only if it
 * begins as one and has, at its top level, `method`, or `id` and `result` or `error`: text that merely quotes a message
 * is none. Strings may be in single quotes, and what stands in a value is passed over by its brackets; the look ends
 * where these do not match. Linear in the length of the line.
 */
export function recogniseMessages(written: string): readonly Recognised[] {
  const line = withoutNuls(written);
  const found: Recognised[] = [];
  let at = spaceEnd(line, 0);
  const isArray = line[at] === "[";
  if (isArray) at = spaceEnd(line, at + 1);
  while (line[at] === "{" && found.length < messagesMax) {
    const { members, end } = topLevel(line, at + 1);
    const message = messageOf(members);
    if (message === undefined) break;
    found.push(message);
    at = spaceEnd(line, end);
    if (isArray && line[at] === ",") at = spaceEnd(line, at + 1);
  }
  return found;
}

/** UTF-16 that is read as UTF-8 has NULs between its letters, and two replacement characters for its mark. */
function withoutNuls(line: string): string {
  return line.includes("\0") ? line.replace(/^[\ufeff\ufffd]+/u, "").replaceAll("\0", "") : line;
}

type Members = ReadonlyMap<string, string>;

function messageOf(members: Members): Recognised | undefined {
  const rawId = members.get("id");
  const id = rawId === undefined ? undefined : idOf(rawId);
  if (members.has("method")) {
    if (rawId === undefined) return { type: "notification" };
    if (id === undefined) return { type: "request", rawId: undefined };
    return { type: "request", rawId: rawId.startsWith("'") ? JSON.stringify(id) : rawId };
  }
  if (!members.has("result") && !members.has("error")) return undefined;
  // A log line may have a result too: without an id it must say that it is a message.
  return rawId === undefined && !members.has("jsonrpc") ? undefined : { type: "response", id };
}

/** Undefined where it is neither a number, a string nor null. */
function idOf(raw: string): string | number | null | undefined {
  try {
    const text = raw.startsWith("'") ? JSON.stringify(raw.slice(1, -1)) : raw;
    const id = JSON.parse(text) as unknown;
    return typeof id === "number" || typeof id === "string" || id === null ? id : undefined;
  } catch {
    return undefined;
  }
}

const known: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "result", "error"]);

/**
 * The members of the object whose first one may begin at `start`, as far as they can be told apart: of several of one
 * name the last, as JSON.parse has it. Of `result` and `error` the beginning is enough, the others must be complete.
 */
function topLevel(line: string, start: number): { readonly members: Members; readonly end: number } {
  const members = new Map<string, string>();
  let at = spaceEnd(line, start);
  while (isQuote(line[at])) {
    const nameEnd = quotedEnd(line, at);
    const name = line.slice(at + 1, nameEnd - 1);
    const colon = spaceEnd(line, nameEnd);
    if (line[colon] !== ":") return { members, end: line.length };
    const valueStart = spaceEnd(line, colon + 1);
    const valueEnd = valueEndOf(line, valueStart);
    const next = spaceEnd(line, valueEnd);
    const isComplete = line[next] === "," || line[next] === "}";
    if (name === "result" || name === "error") members.set(name, "");
    else if (isComplete && known.has(name)) members.set(name, line.slice(valueStart, valueEnd));
    if (line[next] === "}") return { members, end: next + 1 };
    if (!isComplete) return { members, end: line.length };
    at = spaceEnd(line, next + 1);
  }
  return { members, end: line[at] === "}" ? at + 1 : line.length };
}

function valueEndOf(line: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < line.length) {
    const character = line[at];
    if (isQuote(character)) {
      at = quotedEnd(line, at);
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

/** Past the quote that closes the one at `start`, or the end of the line. */
function quotedEnd(line: string, start: number): number {
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

function spaceEnd(line: string, start: number): number {
  let at = start;
  while (line[at] === " " || line[at] === "\t" || line[at] === "\r") at += 1;
  return at;
}
