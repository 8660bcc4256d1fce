// SPDX-License-Identifier: MIT OR Apache-2.0
// Scans the text of a JSON value without parsing it. The text must be valid JSON.

export const QUOTE = 34;
export const COMMA = 44;
export const COLON = 58;
export const OPENING_BRACKET = 91;
const BACKSLASH = 92;
export const CLOSING_BRACKET = 93;
export const OPENING_BRACE = 123;
export const CLOSING_BRACE = 125;
export const SPACE: ReadonlySet<number> = new Set([9, 10, 13, 32]);

/** Returns the index after the closing quote of the string that opens at `start`. */
export function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === BACKSLASH) at -= 1;
  return (quote - at) % 2 === 0;
}

export function skipSpace(text: string, start: number): number {
  let at = start;
  while (SPACE.has(text.charCodeAt(at))) at += 1;
  return at;
}
