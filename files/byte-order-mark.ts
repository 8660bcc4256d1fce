// SPDX-License-Identifier: MIT OR Apache-2.0
// Editors and shells of Windows, and .NET, put a byte order mark before a text. It is no part of what somebody wrote.

/** Bytes of the byte order mark of UTF-8 at `start`: three, or none. */
export function byteOrderMarkBytes(bytes: Buffer, start = 0, end = bytes.length): number {
  if (end - start < 3) return 0;
  return bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf ? 3 : 0;
}

export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes.subarray(byteOrderMarkBytes(bytes));
}

/** Whether a text says by its mark that it is UTF-16, which is read nowhere here. */
export function isMarkedUtf16(bytes: Buffer): boolean {
  const [first, second] = bytes;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
