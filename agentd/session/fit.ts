// SPDX-License-Identifier: MIT OR Apache-2.0
// What an agent wrote, as much of it as fits. The log has all of it.

export interface Fitted<T> {
  readonly value: T;
  /** Names of the members that are not there, though the agent gave them. */
  readonly leftOut: readonly string[];
}

/**
 * Leaves out the longest of the members that may go until the whole takes at most `bytesMax` of UTF-8 as JSON. What
 * cannot be made so short is given without all of them.
 */
export function fit<T extends object>(value: T, mayGo: readonly (keyof T & string)[], bytesMax: number): Fitted<T> {
  let left = bytesOf(value);
  if (left <= bytesMax) return { value, leftOut: [] };
  const parts = mayGo
    .filter((name) => value[name] !== undefined)
    .map((name) => ({ name, bytes: bytesOf(name) + bytesOf(value[name]) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  const leftOut: string[] = [];
  for (const { name, bytes } of parts) {
    if (left <= bytesMax) break;
    leftOut.push(name);
    left -= bytes;
  }
  const kept = Object.entries(value).filter(([name]) => !leftOut.includes(name));
  return { value: Object.fromEntries(kept) as T, leftOut };
}

/** Of its JSON, in UTF-8. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

/** At most so many UTF-16 units, no character cut in two. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
