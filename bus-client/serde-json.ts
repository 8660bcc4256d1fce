// SPDX-License-Identifier: MIT OR Apache-2.0

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
  let depth = 0;
  let index = 0;
  while (index < text.length) {
    const character = text[index]!;
    if (character === '"') {
      const end = endOfString(text, index + 1);
      if (end < 0) return false;
      index = end;
      continue;
    }
    if (character === "[" || character === "{") {
      depth++;
      if (depth > jsonDepthMax) return false;
    } else if (character === "]" || character === "}") {
      depth--;
    } else if (character === "-" || (character >= "0" && character <= "9")) {
      number.lastIndex = index;
      const digits = number.exec(text)![0];
      if (!Number.isFinite(Number(digits))) return false;
      index += digits.length;
      continue;
    }
    index++;
  }
  return true;
}

/** Returns the index after the closing quote, or -1 if a lone surrogate is escaped. */
function endOfString(text: string, start: number): number {
  let index = start;
  while (text[index] !== '"') {
    if (text[index] !== "\\") {
      index++;
      continue;
    }
    const unit = escapedUnit(text, index);
    if (unit === undefined) {
      index += 2;
      continue;
    }
    index += 6;
    if (unit >= 0xdc00 && unit <= 0xdfff) return -1;
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const low = escapedUnit(text, index);
    if (low === undefined || low < 0xdc00 || low > 0xdfff) return -1;
    index += 6;
  }
  return index + 1;
}

function escapedUnit(text: string, index: number): number | undefined {
  if (text[index] !== "\\" || text[index + 1] !== "u") return undefined;
  return Number.parseInt(text.slice(index + 2, index + 6), 16);
}
