// SPDX-License-Identifier: MIT OR Apache-2.0
// Agents that send the whole output again each time would make a log of its square: what came to it is enough.
import { RawJson } from "../../../../json/raw-json.ts";
import type { TextGrowth } from "../../../vocabulary/entries.ts";

/**
 * Which texts of a JSON value grew, where all else of it is as it was; undefined where anything else changed. Nothing
 * where it is the same value. Linear; as deep as the old value.
 */
export function findGrowths(old: unknown, next: unknown, path: TextGrowth["path"]): TextGrowth[] | undefined {
  const found: TextGrowth[] = [];
  return collectGrowths(old, next, [...path], found) ? found : undefined;
}

/** Adds what grew; false where anything else changed. Leaves `path` as it was, unless that is so. */
function collectGrowths(old: unknown, next: unknown, path: (string | number)[], found: TextGrowth[]): boolean {
  if (typeof old === "string") {
    const grown = typeof next === "string" ? findGrowth(old, next) : undefined;
    if (grown && grown.text !== "") found.push({ path: [...path], ...grown });
    return grown !== undefined;
  }
  if (typeof old !== "object" || old === null) return old === next;
  if (old instanceof RawJson) return next instanceof RawJson && old.text === next.text;
  if (typeof next !== "object" || next === null || Array.isArray(old) !== Array.isArray(next)) return false;
  const names = Object.keys(old);
  const nextNames = Object.keys(next);
  if (names.length !== nextNames.length) return false;
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index]!;
    if (name !== nextNames[index]) return false;
    path.push(Array.isArray(old) ? index : name);
    if (!collectGrowths(member(old, name), member(next, name), path, found)) return false;
    path.pop();
  }
  return true;
}

/**
 * What a text that begins with the old one adds to it (nothing, where it is the same text); undefined where it does not
 * begin so, or where the old one ended inside a character, which half a character must not be cut from. Linear.
 */
export function findGrowth(old: string, next: string): Omit<TextGrowth, "path"> | undefined {
  const at = old.length;
  if (!next.startsWith(old) || (isHighSurrogate(old.charCodeAt(at - 1)) && isLowSurrogate(next.charCodeAt(at))))
    return undefined;
  return { at, text: next.slice(at) };
}

function member(value: object, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name];
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
