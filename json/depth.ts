// SPDX-License-Identifier: MIT OR Apache-2.0
import { RawJson } from "./raw-json.ts";

/**
 * Whether arrays and objects stand in one another in more than `levels` levels, in a value that parseJson made. It takes
 * any depth: the walk stops at the bound. JSON.stringify, and whatever else calls itself for each level, overflows the
 * stack where a value is too deep.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null || value instanceof RawJson) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  // Without a copy of its members: it may have a million.
  for (const name in value) if (isDeeperThan((value as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}
