// SPDX-License-Identifier: MIT OR Apache-2.0
// The JSON text of an entry on its way into the log, and from there to the Bus. What is large is moved as bytes, and
// moved seldom: memory that was not used before costs more than all that is written into it.

/** A small text; or a large one in parts, joined by nobody: a Buffer holds UTF-8, and is never written to again. */
export type EntryText = string | readonly (string | Buffer)[];

export interface Written {
  /** To be published. */
  readonly text: EntryText;
  /** The same as one, for the file and for the digest: only until the next text is written. */
  readonly whole: string | Buffer;
}

/** UTF-16 units from which on a text is worth bytes; below, a string costs less. */
const encodedUnitsMin = 1024;

/** What is kept to write into, again and again. */
const roomBytes = 256 * 1024;

/**
 * Takes a text in parts. A part ends at the end of a character, and has no lone surrogates: JSON.stringify leaves none.
 */
export function entryTextWriter(): (parts: readonly (string | Buffer)[]) => Written {
  let kept: Buffer | undefined;
  return (parts) => {
    let bytesMax = 0;
    let units = 0;
    for (const part of parts) {
      units += part.length;
      // A UTF-16 unit is at most three bytes: where those fit, nobody has to count before they are written.
      bytesMax += typeof part === "string" ? part.length * 3 : part.length;
    }
    if (units < encodedUnitsMin) {
      const text = parts.join("");
      return { text, whole: text };
    }
    if (bytesMax <= roomBytes) kept ??= Buffer.allocUnsafeSlow(roomBytes);
    const room = bytesMax <= roomBytes ? kept! : Buffer.allocUnsafeSlow(bytesMax);
    let used = 0;
    for (const part of parts) used += typeof part === "string" ? room.write(part, used) : part.copy(room, used);
    const whole = room.subarray(0, used);
    if (parts.some((part) => typeof part !== "string")) return { text: parts, whole };
    // Every socket would write its characters as bytes again.
    return { text: [room === kept ? Buffer.from(whole) : whole], whole };
  };
}

export function textBytes(text: EntryText): number {
  if (typeof text === "string") return Buffer.byteLength(text);
  let bytes = 0;
  for (const part of text) bytes += typeof part === "string" ? Buffer.byteLength(part) : part.length;
  return bytes;
}

/** What its UTF-8 takes at least, without looking at every character. */
export function textUnits(text: EntryText): number {
  if (typeof text === "string") return text.length;
  let units = 0;
  for (const part of text) units += part.length;
  return units;
}

export function textString(text: EntryText): string {
  return typeof text === "string" ? text : text.map(String).join("");
}
