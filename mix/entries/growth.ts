// SPDX-License-Identifier: MIT OR Apache-2.0
// Puts together what the log holds in parts: a value that was said whole once, and what its texts grew by since.
import type { TextGrowth } from "../../agentd/vocabulary/entries.ts";

/** The value with the new parts at the ends of its texts; a growth of a text that is not there changes nothing. */
export function applyGrowth(value: unknown, path: TextGrowth["path"], text: string): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return typeof value === "string" ? value + text : value;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
  copy[key] = applyGrowth(copy[key], rest, text);
  return copy;
}
