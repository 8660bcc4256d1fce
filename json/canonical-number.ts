// SPDX-License-Identifier: MIT OR Apache-2.0
import type { RawJson } from "./raw-json.ts";

/**
 * Returns one text for all spellings of a number: JavaScript's own if a double holds it, else digits and an exponent.
 */
export function canonicalNumber(number: number | RawJson): string {
  const nearest = String(Number(number));
  if (typeof number === "number") return nearest;
  const exact = decimalOf(number.text);
  return decimalOf(nearest) === exact ? nearest : exact;
}

const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** An exponent with more characters is not evaluated. */
const exponentDigitsMax = 15;

/** Strips zeros at both ends, in linear time. Returns anything but a number, and an overlong exponent, unchanged. */
function decimalOf(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts.exec(text) ?? [];
  if (whole === "" || exponent.length > exponentDigitsMax) return text;
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === "0") start += 1;
  let end = digits.length;
  while (end > start && digits[end - 1] === "0") end -= 1;
  if (start === end) return "0";
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
