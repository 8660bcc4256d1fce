// SPDX-License-Identifier: MIT OR Apache-2.0

/** Bytes of the text as UTF-8, as Buffer.byteLength counts them: half a character is three. Needs no type of Node's. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  // Most texts are ASCII, which a regular expression passes over faster than a loop.
  const first = text.search(/[\u0080-\uffff]/);
  if (first === -1) return bytes;
  for (let at = first; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // A pair is four bytes of two units.
    if (isHigh(unit) && isLow(text.charCodeAt(at + 1))) at += 1;
  }
  return bytes;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
