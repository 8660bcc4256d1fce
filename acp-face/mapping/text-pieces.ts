// SPDX-License-Identifier: MIT OR Apache-2.0

/**
 * UTF-8 bytes of the longest text in one update. An unbroken text of 64 KiB kept one editor busy for a minute, and one
 * of 4 MiB stopped another.
 */
export const pieceBytesMax = 16 * 1024;

/**
 * Cuts a text into pieces of at most `bytesMax` bytes, at ends of lines where there are any, and never inside a
 * surrogate pair or between CR and LF. An empty text is one piece.
 */
export function textPieces(text: string, bytesMax = pieceBytesMax): string[] {
  // No UTF-16 unit takes more than three bytes.
  if (text.length * 3 <= bytesMax) return [text];
  const pieces: string[] = [];
  let start = 0;
  while (start < text.length) {
    const end = endOfPiece(text, start, bytesMax);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function endOfPiece(text: string, start: number, bytesMax: number): number {
  let bytes = 0;
  let lineEnd = start;
  let at = start;
  while (at < text.length) {
    const units = unitsAt(text, at);
    bytes += bytesAt(text, at);
    if (bytes > bytesMax) break;
    at += units;
    if (text.charCodeAt(at - 1) === lineFeed) lineEnd = at;
  }
  if (at === text.length) return at;
  return lineEnd > start ? lineEnd : Math.max(at, start + unitsAt(text, start));
}

const lineFeed = 10;
const carriageReturn = 13;

/** Number of units that belong together: a surrogate pair, CR with LF, or one. */
function unitsAt(text: string, at: number): number {
  if (text.charCodeAt(at) === carriageReturn) return text.charCodeAt(at + 1) === lineFeed ? 2 : 1;
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

/** UTF-8 bytes of those units. */
function bytesAt(text: string, at: number): number {
  const point = text.codePointAt(at) ?? 0;
  if (point < 0x80) return unitsAt(text, at);
  if (point > 0xffff) return 4;
  return point < 0x800 ? 2 : 3;
}
