// SPDX-License-Identifier: MIT OR Apache-2.0
import { RawJson, stringifyJson } from "../../json/raw-json.ts";

/**
 * How deep a value is shown that cannot be shown whole. agentd takes none that is deeper; an older log may have some.
 */
const levelsMax = 512;

/** As stringifyJson, also of what is nested deeper than that can go: of such a value, its upper levels. */
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
