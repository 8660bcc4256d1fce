// SPDX-License-Identifier: MIT OR Apache-2.0
const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
/** "\b", "\t", "\n", "\f" and "\r"; every other control character is six bytes. */
const short: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);
const escapeBytesMax = 6;
const bytesOfControl = Uint8Array.from({ length: space }, (_, control) => (short.has(control) ? 2 : escapeBytesMax));

/** What JSON.stringify makes at most, quotes included, of a text that has so many bytes in UTF-8 and no lone surrogates. */
export function maxJsonBytes(utf8Bytes: number): number {
  return escapeBytesMax * utf8Bytes + 2;
}

/** Whether JSON.stringify makes no more of it. The text is looked at only where its length leaves that open. */
export function fitsAsJson(text: string, utf8Bytes: number, bytesMax: number): boolean {
  if (maxJsonBytes(utf8Bytes) <= bytesMax) return true;
  let bytes = utf8Bytes + 2;
  for (let at = 0; at < text.length && bytes <= bytesMax; at++) {
    const unit = text.charCodeAt(at);
    if (unit < space) bytes += (bytesOfControl[unit] ?? 1) - 1;
    else if (unit === quote || unit === backslash) bytes += 1;
  }
  return bytes <= bytesMax;
}
