// SPDX-License-Identifier: MIT OR Apache-2.0
// Agents that send the whole output again each time would make a log of its square: what came to it is enough.

export interface Growth {
  /** UTF-16 code units of the old text, which are kept. */
  readonly at: number;
  readonly text: string;
}

/**
 * What a text that begins with the old one adds to it (nothing, where it is the same text); undefined where it does not
 * begin so, or where the old one ended inside a character, which half a character must not be cut from. Linear.
 */
export function growth(old: string, next: string): Growth | undefined {
  const at = old.length;
  if (!next.startsWith(old) || (isHigh(old.charCodeAt(at - 1)) && isLow(next.charCodeAt(at)))) return undefined;
  return { at, text: next.slice(at) };
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
