// SPDX-License-Identifier: MIT OR Apache-2.0
import { RawJson, stringifyJson } from "../../json/raw-json.ts";

/**
 * Levels that are shown of a value too deep for JSON.stringify. agentd accepts no deeper values, but an old log may
 * have some.
 */
const levelsMax = 512;

/** Like stringifyJson, but writes the upper levels of a value that is nested too deep, instead of throwing. */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return stringifyJson(value, indent);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return stringifyJson(truncateDepth(value, levelsMax), indent);
  }
}

function truncateDepth(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null || value instanceof RawJson) return value;
  if (levels === 0) return "… nested too deep to be shown";
  if (Array.isArray(value)) return value.map((item) => truncateDepth(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, truncateDepth(member, levels - 1)]));
}
