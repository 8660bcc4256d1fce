// SPDX-License-Identifier: MIT OR Apache-2.0
// The strings in a JSON text and where they stand in it, so that one of them can be replaced and every other character
// stays as it was written: numbers, the order of members, even two members of one name.

export interface JsonString {
  /** Of the literal in the text, quotes included. */
  readonly from: number;
  readonly to: number;
  /** What it says. */
  readonly value: string;
  /** The names and the places in arrays that lead to it, from the outermost on; a name's own path ends with it. */
  readonly path: readonly (string | number)[];
  /** A member's name, not its value. */
  readonly name: boolean;
}

/** In order. The text is JSON that was parsed or made before; what is no JSON gives some strings or none, or throws. */
export function* jsonStrings(text: string): Generator<JsonString, void> {
  const path: (string | number)[] = [];
  let depth = 0;
  let place = 0;
  for (let from = text.indexOf('"'); from >= 0; from = text.indexOf('"', place)) {
    for (; place < from; place += 1) depth = pass(path, depth, text.charCodeAt(place));
    const to = endOfLiteral(text, from);
    const value = valueOf(text, from, to);
    const name = isName(text, to);
    if (name) path[depth - 1] = value;
    yield { from, to, value, path: [...path], name };
    place = to;
  }
}

/** The text with other literals in the place of some; given in order. */
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

/** One character between two strings; gives the depth after it. */
function pass(path: (string | number)[], depth: number, code: number): number {
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

/** After the quote that closes it: the first with an even number of backslashes before it. */
function endOfLiteral(text: string, from: number): number {
  for (let quote = text.indexOf('"', from + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === "\\") before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  throw new SyntaxError("a string of a JSON text has no end");
}

function valueOf(text: string, from: number, to: number): string {
  const inner = text.slice(from + 1, to - 1);
  return inner.includes("\\") ? (JSON.parse(text.slice(from, to)) as string) : inner;
}

function isName(text: string, to: number): boolean {
  let place = to;
  while (text[place] === " " || text[place] === "\n" || text[place] === "\r" || text[place] === "\t") place += 1;
  return text[place] === ":";
}
