// SPDX-License-Identifier: MIT OR Apache-2.0
// Where a piece of UTF-8 text may begin and end.

/**
 * The widest range of at most `bytesMax` bytes that begins and ends at a character; one whole character where none is
 * that short; empty where there is none. `bytes` is well-formed UTF-8 that may begin and end inside a character.
 */
export function characterCut(bytes: Uint8Array, bytesMax: number): { readonly from: number; readonly to: number } {
  let from = 0;
  while (from < bytes.length && continues(bytes[from])) from += 1;
  const to = Math.min(from + bytesMax, bytes.length);
  if (to === from) return { from, to };
  // The character that the cut is after, or in.
  let start = to - 1;
  while (continues(bytes[start])) start -= 1;
  const end = start + lengthOf(bytes[start]!);
  if (end === to) return { from, to };
  return { from, to: start === from && end <= bytes.length ? end : start };
}

/** Bytes of a character by its first. */
function lengthOf(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

function continues(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
