// SPDX-License-Identifier: MIT OR Apache-2.0
// Rebuilds a value that the log holds once in full and then only by what its texts grew.
import type { TextGrowth } from "../../agentd/vocabulary/entries.ts";

/** Returns a copy of the value with `text` appended to the string at `path`; the value itself if there is none. */
export function applyGrowth(value: unknown, path: TextGrowth["path"], text: string): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return typeof value === "string" ? value + text : value;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
  copy[key] = applyGrowth(copy[key], rest, text);
  return copy;
}
