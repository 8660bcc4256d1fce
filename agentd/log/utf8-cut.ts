// SPDX-License-Identifier: MIT OR Apache-2.0

/**
 * Returns the longest range of whole characters within `bytesMax` bytes, but at least one character; empty if `bytes` has
 * no whole character. `bytes` is well-formed UTF-8 that may begin and end inside a character.
 */
export function characterCut(bytes: Uint8Array, bytesMax: number): { readonly from: number; readonly to: number } {
  let from = 0;
  while (from < bytes.length && isContinuation(bytes[from])) from += 1;
  const to = Math.min(from + bytesMax, bytes.length);
  if (to === from) return { from, to };
  // The last character that begins before the cut.
  let start = to - 1;
  while (isContinuation(bytes[start])) start -= 1;
  const end = start + lengthOf(bytes[start]!);
  if (end === to) return { from, to };
  return { from, to: start === from && end <= bytes.length ? end : start };
}

/** Returns the length of a character in bytes by its first byte. */
function lengthOf(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
