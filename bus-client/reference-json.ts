// SPDX-License-Identifier: MIT OR Apache-2.0

/** Arrays and objects inside one another; a value that nests deeper is no JSON for the Bus's reference reader. */
const jsonDepthMax = 128;

/**
 * Whether the reference reader of the Bus (serde_json) takes the text as JSON. It refuses three things that JSON.parse
 * accepts: nesting beyond 128, numbers outside the range of a double, and half a surrogate pair in `\u` escapes.
 */
export function isReferenceJson(text: string): boolean {
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  return hasReferenceLimits(text);
}

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** The text is known to be well-formed JSON. */
function hasReferenceLimits(text: string): boolean {
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

/** The index after the closing quote, or -1 where half a surrogate pair is escaped. */
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
