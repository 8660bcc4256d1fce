// SPDX-License-Identifier: MIT OR Apache-2.0
// JSON.parse makes an object of some fifty bytes out of two characters, so a line within its bounds can fill the
// memory. What a line holds is counted before it is parsed, and one that holds too much never is.
import { COMMA, endOfString, QUOTE, skipSpace } from "../../json/source-text.ts";
import { CLOSING, OPENING, rawMembers } from "./raw-member.ts";

/**
 * Whether a text holds more than `values` JSON values, itself and those within one another. As far as JSON.parse reads
 * a text that is none, it does not find more than this. Linear; texts that are too short for so many cost nothing.
 */
export function hasMoreValuesThan(text: string, values: number): boolean {
  // Each value has a comma or a bracket of its own, but for the outermost.
  if (text.length <= 2 * values) return false;
  let found = 1;
  let at = 0;
  while (at < text.length && found <= values) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      // Source files stand in strings: what looks like JSON there is not.
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
 * What tells the kind of a message, from a text that is too wide to be parsed: an empty array for an array, and of an
 * object the members by which messages are told apart, with whatever holds values emptied. Undefined, or an exception,
 * where the text is no JSON; not all of it is looked at.
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
