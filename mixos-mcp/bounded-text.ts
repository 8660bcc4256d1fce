// SPDX-License-Identifier: MIT OR Apache-2.0
// Results that a model can hold: what is longer is cut between characters, and the result says so.

/** The text, or its beginning and how much there was. */
export function boundedText(text: string, bytesMax: number): readonly string[] {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return [text];
  let end = bytesMax;
  // A byte 10xxxxxx goes on with a character that began before.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return [bytes.toString("utf8", 0, end), `[cut: the first ${end} of ${bytes.length} bytes; ask for less at a time]`];
}
