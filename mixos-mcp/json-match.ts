// SPDX-License-Identifier: MIT OR Apache-2.0
import { canonicalNumber } from "../json/canonical-number.ts";
import { RawJson } from "../json/raw-json.ts";

/**
 * Whether all that `wanted` has is in `value` too: members of objects at any depth; anything else must be equal. `value`
 * may be as deep as it likes: it is followed no further than `wanted` goes.
 */
export function jsonMatch(value: unknown, wanted: unknown): boolean {
  if (isNumber(value) && isNumber(wanted)) return canonicalNumber(value) === canonicalNumber(wanted);
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(wanted)) return false;
  if (Array.isArray(wanted) && (value as unknown[]).length !== wanted.length) return false;
  return Object.entries(wanted).every(
    ([key, member]) => Object.hasOwn(value, key) && jsonMatch((value as Record<string, unknown>)[key], member),
  );
}

function isNumber(value: unknown): value is number | RawJson {
  return typeof value === "number" || value instanceof RawJson;
}
