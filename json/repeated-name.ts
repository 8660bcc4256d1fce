// SPDX-License-Identifier: MIT OR Apache-2.0
import {
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  endOfString,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  skipSpace,
} from "./source-text.ts";

/**
 * Finds a name that two members of one object have; JSON.parse silently keeps the last. The text must be valid JSON.
 * Takes linear time.
 */
export function findRepeatedName(text: string): string | undefined {
  // The names of each enclosing object; undefined for an array.
  const around: (Set<string> | undefined)[] = [];
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (text.charCodeAt(skipSpace(text, end)) === COLON) {
        const name = JSON.parse(text.slice(at, end)) as string;
        const names = around.at(-1);
        if (names?.has(name)) return name;
        names?.add(name);
      }
      at = end;
      continue;
    }
    if (code === OPENING_BRACE) around.push(new Set());
    else if (code === OPENING_BRACKET) around.push(undefined);
    else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) around.pop();
    at += 1;
  }
  return undefined;
}
