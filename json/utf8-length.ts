// SPDX-License-Identifier: MIT OR Apache-2.0

/** The length in UTF-8 as Buffer.byteLength counts it: a lone surrogate takes three bytes. Needs no types of Node. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  // Most texts are ASCII, which a regular expression scans faster than a loop.
  const first = text.search(/[\u0080-\uffff]/);
  if (first === -1) return bytes;
  for (let at = first; at < text.length; at += 1) {
    const point = text.codePointAt(at) ?? 0;
    if (point > 0x7f) bytes += point < 0x800 ? 1 : 2;
    // A surrogate pair is two units and four bytes.
    if (point > 0xffff) at += 1;
  }
  return bytes;
}
