// SPDX-License-Identifier: MIT OR Apache-2.0

import { trimTail } from "./white-space.ts";

/**
 * A long text that nobody has joined: a Buffer holds UTF-8. A piece ends at the end of a character, and nobody writes to
 * its bytes any more.
 */
export type Pieces = readonly (string | Buffer)[];

export function joined(pieces: Pieces): string {
  return pieces.every((piece) => typeof piece === "string")
    ? pieces.join("")
    : Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece))).toString();
}

/** Of its UTF-8. */
export function bytesOf(pieces: Pieces): number {
  let bytes = 0;
  for (const piece of pieces) bytes += typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
  return bytes;
}

/** What its UTF-8 takes at most, without looking at every character. */
export function bytesAtMost(pieces: Pieces): number {
  let bytes = 0;
  for (const piece of pieces) bytes += typeof piece === "string" ? piece.length * 3 : piece.length;
  return bytes;
}

/** Without the white space at its end, as the body of a message is read. */
export function trimmedTail(pieces: Pieces): Pieces {
  const kept = [...pieces];
  for (;;) {
    const last = kept.pop();
    if (last === undefined) return kept;
    const text = typeof last !== "string" && endsInPrint(last) ? last : trimTail(last.toString());
    if (text.length === 0) continue;
    kept.push(text);
    return kept;
  }
}

/** With the line feed that a body ends with on the wire. */
export function withEnd(pieces: Pieces): Pieces {
  const last = pieces.findLast((piece) => piece.length > 0);
  if (last === undefined) return [];
  const ends = typeof last === "string" ? last.endsWith("\n") : last.at(-1) === 0x0a;
  return ends ? pieces : [...pieces, "\n"];
}

/** In a character of ASCII that is no white space: most bytes need not become text to be trimmed. */
function endsInPrint(bytes: Buffer): boolean {
  const last = bytes.at(-1);
  return last !== undefined && last > 0x20 && last < 0x7f;
}
