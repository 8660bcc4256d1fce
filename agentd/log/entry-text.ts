// SPDX-License-Identifier: MIT OR Apache-2.0
// The JSON text of an entry on its way from the log to the Bus. What is large becomes UTF-8 once: the digest, SQLite
// and every socket take the same bytes, where a string would be encoded anew, and copied, by each of them.

/** A Buffer holds UTF-8, and is never written to again. */
export type EntryText = string | Buffer;

/** UTF-16 units from which on a text is worth a Buffer; below, a string costs less. */
const encodedUnitsMin = 1024;

/** Entries are written into blocks of this many bytes: allocating each by itself would cost more than writing it. */
const blockBytes = 256 * 1024;

/**
 * Joins the parts of one text, and encodes what is large. A part ends at the end of a character, and has no lone
 * surrogates: JSON.stringify leaves none.
 */
export function entryTextWriter(): (...parts: readonly string[]) => EntryText {
  let block = Buffer.alloc(0);
  let used = 0;
  return (...parts) => {
    let units = 0;
    for (const part of parts) units += part.length;
    if (units < encodedUnitsMin) return parts.join("");
    // A UTF-16 unit is at most three bytes: where those fit, nobody has to count before they are written.
    const bytesMax = units * 3;
    if (bytesMax > blockBytes / 4) return Buffer.from(parts.join(""));
    if (block.length - used < bytesMax) {
      block = Buffer.allocUnsafeSlow(blockBytes);
      used = 0;
    }
    const start = used;
    for (const part of parts) used += block.write(part, used);
    return block.subarray(start, used);
  };
}

export function textBytes(text: EntryText): number {
  return typeof text === "string" ? Buffer.byteLength(text) : text.length;
}
