// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds the strings in a JSON text, so that one can be replaced while every other character stays as it was written:
// numbers, the order of members, even duplicate members.
import { COLON, endOfString, skipSpace } from "../../json/source-text.ts";

export interface JsonString {
  /** Range of the literal in the text, with its quotes, in UTF-16 code units. */
  readonly from: number;
  readonly to: number;
  /** The unescaped string. */
  readonly value: string;
  /** Member names and array indexes, from the outermost on. The path of a member's name ends with that name. */
  readonly path: readonly (string | number)[];
  readonly isName: boolean;
}

/** Yields the strings in order. The text must be valid JSON; for any other, the result is undefined or it throws. */
export function* jsonStrings(text: string): Generator<JsonString, void> {
  const path: (string | number)[] = [];
  let depth = 0;
  let place = 0;
  for (let from = text.indexOf('"'); from >= 0; from = text.indexOf('"', place)) {
    for (; place < from; place += 1) depth = updatePath(path, depth, text.charCodeAt(place));
    const to = endOfString(text, from);
    const value = valueOf(text, from, to);
    const isName = text.charCodeAt(skipSpace(text, to)) === COLON;
    if (isName) path[depth - 1] = value;
    yield { from, to, value, path: [...path], isName };
    place = to;
  }
}

/** Returns the text with some literals replaced by others. `replaced` is in order. */
export function withJsonStrings(
  text: string,
  replaced: readonly { readonly from: number; readonly to: number; readonly value: string }[],
): string {
  let result = "";
  let place = 0;
  for (const { from, to, value } of replaced) {
    result += text.slice(place, from) + JSON.stringify(value);
    place = to;
  }
  return result + text.slice(place);
}

/** Updates the path for one character between two strings, and returns the depth after it. */
function updatePath(path: (string | number)[], depth: number, code: number): number {
  const last = path[depth - 1];
  switch (code) {
    case 0x7b: // {
      return depth + 1;
    case 0x5b: // [
      path[depth] = 0;
      return depth + 1;
    case 0x2c: // ,
      if (typeof last === "number") path[depth - 1] = last + 1;
      return depth;
    case 0x7d: // }
    case 0x5d: // ]
      path.length = Math.min(path.length, depth - 1);
      return depth - 1;
    default:
      return depth;
  }
}

function valueOf(text: string, from: number, to: number): string {
  const inner = text.slice(from + 1, to - 1);
  return inner.includes("\\") ? (JSON.parse(text.slice(from, to)) as string) : inner;
}
