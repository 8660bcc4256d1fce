// SPDX-License-Identifier: MIT OR Apache-2.0

/** The most bytes that JSON.stringify makes, quotes included, of a text of `utf8Bytes`: a control character takes six. */
export function maxJsonBytes(utf8Bytes: number): number {
  return 6 * utf8Bytes + 2;
}

/** Whether JSON.stringify of the text has at most `bytesMax` bytes. Tries it only if the text's length does not decide. */
export function fitsAsJson(text: string, utf8Bytes: number, bytesMax: number): boolean {
  return maxJsonBytes(utf8Bytes) <= bytesMax || Buffer.byteLength(JSON.stringify(text)) <= bytesMax;
}
