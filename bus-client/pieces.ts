// SPDX-License-Identifier: MIT OR Apache-2.0

import { trimTail } from "./white-space.ts";

/**
 * A long text in unjoined pieces. A Buffer holds UTF-8 that ends at a character boundary and must not be written to.
 */
export type Pieces = readonly (string | Buffer)[];

export function joined(pieces: Pieces): string {
  return pieces.every((piece) => typeof piece === "string")
    ? pieces.join("")
    : Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece))).toString();
}

/** Counts the bytes of the text in UTF-8. */
export function bytesOf(pieces: Pieces): number {
  let bytes = 0;
  for (const piece of pieces) bytes += typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
  return bytes;
}

/** Returns an upper bound of the UTF-8 bytes without reading every character. */
export function bytesAtMost(pieces: Pieces): number {
  let bytes = 0;
  for (const piece of pieces) bytes += typeof piece === "string" ? piece.length * 3 : piece.length;
  return bytes;
}

/** Removes trailing white space, as `parse` does with the body of a message. */
export function trimmedTail(pieces: Pieces): Pieces {
  const kept = [...pieces];
  for (;;) {
    const last = kept.pop();
    if (last === undefined) return kept;
    const text = typeof last !== "string" && endsInPrintableAscii(last) ? last : trimTail(last.toString());
    if (text.length === 0) continue;
    kept.push(text);
    return kept;
  }
}

/** Appends the line feed that ends a body on the wire, unless it is there. */
export function withEnd(pieces: Pieces): Pieces {
  const last = pieces.findLast((piece) => piece.length > 0);
  if (last === undefined) return [];
  const ends = typeof last === "string" ? last.endsWith("\n") : last.at(-1) === 0x0a;
  return ends ? pieces : [...pieces, "\n"];
}

/** True if the bytes end in visible ASCII, in which case they need no decoding to be trimmed. */
function endsInPrintableAscii(bytes: Buffer): boolean {
  const last = bytes.at(-1);
  return last !== undefined && last > 0x20 && last < 0x7f;
}
