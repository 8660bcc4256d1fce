// SPDX-License-Identifier: MIT OR Apache-2.0
// Some agents resend the full output on every update. Only the appended suffix is logged, or the log would grow
// quadratically.
import { RawJson } from "../../../../json/raw-json.ts";
import type { TextGrowth } from "../../../vocabulary/entries.ts";

/**
 * Finds the texts of a JSON value that were appended to. Empty when nothing changed, undefined when anything else
 * changed. Takes linear time and recurses as deep as the old value.
 */
export function findGrowths(old: unknown, next: unknown, path: TextGrowth["path"]): TextGrowth[] | undefined {
  const found: TextGrowth[] = [];
  return collectGrowths(old, next, [...path], found) ? found : undefined;
}

/** Collects growths and restores `path`; returns false, with `path` as it is, when anything else changed. */
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
 * Returns the appended suffix, empty for an equal text. Undefined when `next` does not start with `old` or continues a
 * surrogate pair in which `old` ended. Takes linear time.
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
