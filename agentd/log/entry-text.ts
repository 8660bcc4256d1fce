// SPDX-License-Identifier: MIT OR Apache-2.0
// The JSON text of an entry on its way into the log and to the Bus. Large texts are moved as bytes and copied seldom,
// since touching new memory costs more than writing into it.

/** A small text, or the parts of a large one, which are never joined. A Buffer is UTF-8 and never changes. */
export type EntryText = string | readonly (string | Buffer)[];

export interface Written {
  /** The text to publish. */
  readonly text: EntryText;
  /** The same text in one piece, for the file and the digest. Valid only until the next text is written. */
  readonly whole: string | Buffer;
}

/** UTF-16 code units from which on bytes are cheaper than a string. */
const encodedUnitsMin = 1024;

/** Size of the buffer that is reused for every text. */
const bufferBytes = 256 * 1024;

/**
 * Joins a text from its parts. Each part must end at a character's end and have no lone surrogates; JSON.stringify
 * leaves none.
 */
export function entryTextWriter(): (parts: readonly (string | Buffer)[]) => Written {
  let reused: Buffer | undefined;
  return (parts) => {
    let bytesMax = 0;
    let units = 0;
    for (const part of parts) {
      units += part.length;
      // A UTF-16 code unit is at most three bytes of UTF-8. If those fit, the bytes need not be counted first.
      bytesMax += typeof part === "string" ? part.length * 3 : part.length;
    }
    if (units < encodedUnitsMin) {
      const text = parts.join("");
      return { text, whole: text };
    }
    if (bytesMax <= bufferBytes) reused ??= Buffer.allocUnsafeSlow(bufferBytes);
    const buffer = bytesMax <= bufferBytes ? reused! : Buffer.allocUnsafeSlow(bytesMax);
    let used = 0;
    for (const part of parts) used += typeof part === "string" ? buffer.write(part, used) : part.copy(buffer, used);
    const whole = buffer.subarray(0, used);
    if (parts.some((part) => typeof part !== "string")) return { text: parts, whole };
    // As bytes, since every socket would encode a string again.
    return { text: [buffer === reused ? Buffer.from(whole) : whole], whole };
  };
}

export function textBytes(text: EntryText): number {
  if (typeof text === "string") return Buffer.byteLength(text);
  let bytes = 0;
  for (const part of text) bytes += typeof part === "string" ? Buffer.byteLength(part) : part.length;
  return bytes;
}

/** A lower bound of `textBytes` that does not look at every character. */
export function textUnits(text: EntryText): number {
  if (typeof text === "string") return text.length;
  let units = 0;
  for (const part of text) units += part.length;
  return units;
}

export function textString(text: EntryText): string {
  return typeof text === "string" ? text : text.map(String).join("");
}
