// SPDX-License-Identifier: MIT OR Apache-2.0
// Editors and shells of Windows put a byte order mark before a text. It is no part of what somebody wrote.

const utf8Mark = Buffer.from("\ufeff");

export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, utf8Mark.length).equals(utf8Mark) ? bytes.subarray(utf8Mark.length) : bytes;
}

/** Whether a text says by its mark that it is UTF-16, which is read nowhere here. */
export function isMarkedUtf16(bytes: Buffer): boolean {
  const [first, second] = bytes;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
