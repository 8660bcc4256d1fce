// SPDX-License-Identifier: MIT OR Apache-2.0
const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
/** JSON escapes "\b", "\t", "\n", "\f" and "\r" with two bytes, and every other control character with six. */
const short: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);
const escapeBytesMax = 6;
const bytesOfControl = Uint8Array.from({ length: space }, (_, control) => (short.has(control) ? 2 : escapeBytesMax));

/** The most bytes that JSON.stringify makes, quotes included, of a text of `utf8Bytes` without lone surrogates. */
export function maxJsonBytes(utf8Bytes: number): number {
  return escapeBytesMax * utf8Bytes + 2;
}

/** Whether JSON.stringify of the text has at most `bytesMax` bytes. Scans it only if its length does not decide. */
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
