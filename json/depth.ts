// SPDX-License-Identifier: MIT OR Apache-2.0
import { RawJson } from "./raw-json.ts";

/**
 * Whether a value of parseJson nests arrays and objects more than `levels` deep. Accepts any depth, as it stops at that
 * bound. JSON.stringify, and any other recursion per level, overflows the stack on a value that is too deep.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null || value instanceof RawJson) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  // for-in makes no copy of the members, of which there may be a million.
  for (const name in value) if (isDeeperThan((value as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}
