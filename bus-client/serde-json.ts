// SPDX-License-Identifier: MIT OR Apache-2.0

import { endOfString } from "../json/source-text.ts";

/** The nesting limit of serde_json. */
const jsonDepthMax = 128;

/**
 * Tells whether serde_json, which the Bus's reference implementation uses, accepts the text. It rejects three things that
 * JSON.parse accepts: nesting beyond 128, numbers outside the range of a double, and lone surrogates in `\u` escapes.
 */
export function isSerdeJson(text: string): boolean {
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  return isWithinSerdeLimits(text);
}

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Requires well-formed JSON. */
function isWithinSerdeLimits(text: string): boolean {
  if (hasLoneSurrogate(text)) return false;
  let depth = 0;
  let index = 0;
  while (index < text.length) {
    const character = text[index]!;
    number.lastIndex = index;
    const digits = number.exec(text)?.[0];
    if (digits !== undefined && !Number.isFinite(Number(digits))) return false;
    if (character === "[" || character === "{") depth++;
    if (character === "]" || character === "}") depth--;
    if (depth > jsonDepthMax) return false;
    index = character === '"' ? endOfString(text, index) : index + (digits?.length ?? 1);
  }
  return true;
}

/** An escape in a string. One surrogate pair counts as one, so that any other surrogate is a lone one. */
const escapes = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)/g;

function hasLoneSurrogate(text: string): boolean {
  return text.match(escapes)?.some((escape) => /^\\u[dD][89a-fA-F]..$/.test(escape)) === true;
}
