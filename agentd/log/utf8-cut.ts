// SPDX-License-Identifier: MIT OR Apache-2.0
// Where a piece of UTF-8 text may begin and end.

/**
 * The widest range of at most `bytesMax` bytes that begins and ends at a character; one whole character where none is
 * that short; empty where there is none. `bytes` is well-formed UTF-8 that may begin and end inside a character.
 */
export function characterCut(bytes: Uint8Array, bytesMax: number): { readonly from: number; readonly to: number } {
  let from = 0;
  while (from < bytes.length && continues(bytes[from])) from += 1;
  let to = Math.min(from + bytesMax, bytes.length);
  if (to === bytes.length) to = wholeEnd(bytes, from);
  while (to > from && continues(bytes[to])) to -= 1;
  if (to > from || from === bytes.length) return { from, to };
  to = from + 1;
  while (to < bytes.length && continues(bytes[to])) to += 1;
  return { from, to };
}

/** The end of the last character that is there with all of its bytes. */
function wholeEnd(bytes: Uint8Array, from: number): number {
  let start = bytes.length - 1;
  while (start > from && continues(bytes[start])) start -= 1;
  if (start < from) return from;
  return start + lengthOf(bytes[start]!) <= bytes.length ? bytes.length : start;
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
