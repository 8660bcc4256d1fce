// SPDX-License-Identifier: MIT OR Apache-2.0
// Windows editors and shells, and .NET, begin a text with a byte order mark. It is not part of the text.

/** Returns 3 if there is a UTF-8 byte order mark at `start`, else 0. */
export function byteOrderMarkBytes(bytes: Buffer, start = 0, end = bytes.length): number {
  if (end - start < 3) return 0;
  return bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf ? 3 : 0;
}

export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes.subarray(byteOrderMarkBytes(bytes));
}

/** Whether the text begins with a byte order mark of UTF-16, which no caller accepts. */
export function isMarkedUtf16(bytes: Buffer): boolean {
  const [first, second] = bytes;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
