// SPDX-License-Identifier: MIT OR Apache-2.0
// Bounds the memory that parsing takes. JSON.parse turns two characters into an object of some 50 bytes, so a line
// within its length limit can still exhaust the memory. The values of a line are counted before it is parsed.
import { COMMA, endOfString, QUOTE, skipSpace } from "../../json/source-text.ts";
import { CLOSING, OPENING, rawMembers } from "./raw-member.ts";

/**
 * Whether a JSON text has more than `values` values, nested ones included. For invalid JSON the count is at least what
 * JSON.parse creates before it fails. Takes linear time, and none for texts that are too short to have so many.
 */
export function hasMoreValuesThan(text: string, values: number): boolean {
  // Each value except the outermost has a comma or a bracket of its own.
  if (text.length <= 2 * values) return false;
  let found = 1;
  let at = 0;
  while (at < text.length && found <= values) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      // Strings may contain source code that looks like JSON.
      at = endOfString(text, at);
      continue;
    }
    at += 1;
    if (code === COMMA) {
      found += 1;
    } else if (OPENING.has(code)) {
      at = skipSpace(text, at);
      if (!CLOSING.has(text.charCodeAt(at))) found += 1;
    }
  }
  return found > values;
}

/**
 * Returns just enough of a text that is too large to parse for `classify`: an empty array for an array, and for an
 * object the members that tell messages apart, with nested values emptied. Returns undefined or throws for invalid
 * JSON, though not all of the text is checked.
 */
export function outlineMessage(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed.startsWith("[") && trimmed.endsWith("]")) return [];
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return undefined;
  const outline: Record<string, unknown> = {};
  for (const [name, raw] of rawMembers(trimmed, ["jsonrpc", "id", "method", "result", "error"])) {
    if (name === "result" || name === "error") outline[name] = null;
    else outline[name] = OPENING.has(raw.charCodeAt(0)) ? [] : (JSON.parse(raw) as unknown);
  }
  return outline;
}
