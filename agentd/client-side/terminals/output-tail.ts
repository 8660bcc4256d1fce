// SPDX-License-Identifier: MIT OR Apache-2.0
// The last bytes of a command's stdout and stderr in the order of arrival, cut at a character.
import { isUtf8 } from "node:buffer";
import { ByteRing, nextCharacterStart } from "../../../acp-client/process/byte-ring.ts";

/** Takes `bytesMax` of memory and time linear in the input. */
export class OutputTail {
  readonly #ring: ByteRing;

  /** `bytesMax`: UTF-8 bytes; 0 keeps nothing. */
  constructor(bytesMax: number) {
    this.#ring = new ByteRing(bytesMax);
  }

  /** Make one for each stream, so that a character split between two chunks is not mixed with the other stream's bytes. */
  writer(): { write(chunk: Buffer): void; end(): void } {
    const repair = new Utf8Repair();
    return {
      write: (chunk) => this.#ring.push(repair.write(chunk)),
      end: () => this.#ring.push(repair.end()),
    };
  }

  /** Whether the beginning is missing. */
  get truncated(): boolean {
    return this.#ring.wasCut;
  }

  /** At most `bytesMax` bytes, and up to three fewer where a character would be cut. */
  text(): string {
    const bytes = this.#ring.bytes();
    return bytes.toString("utf8", this.truncated ? nextCharacterStart(bytes, 0) : 0);
  }

  /** Frees the memory; from now on it acts as if the limit were 0. */
  close(): void {
    this.#ring.close();
  }
}

const nothing = Buffer.alloc(0);

/**
 * Turns the bytes of one stream into whole UTF-8 characters: a character split between two reads waits for its rest,
 * and invalid bytes become U+FFFD. The result does not depend on where the reads split.
 */
export class Utf8Repair {
  /** The beginning of an incomplete character: at most three bytes. */
  #partial: Buffer = nothing;

  /** Returns the characters that are complete by now, as UTF-8. */
  write(chunk: Buffer): Buffer {
    const bytes = this.#partial.length === 0 ? chunk : Buffer.concat([this.#partial, chunk]);
    const whole = wholeLength(bytes);
    // A copy, since a view would keep the whole chunk in memory.
    this.#partial = whole === bytes.length ? nothing : Buffer.from(bytes.subarray(whole));
    return repaired(bytes.subarray(0, whole));
  }

  /** Ends the stream: an incomplete character becomes U+FFFD. */
  end(): Buffer {
    const rest = repaired(this.#partial);
    this.#partial = nothing;
    return rest;
  }
}

/** Returns valid UTF-8, the usual case, without a copy. */
function repaired(bytes: Buffer): Buffer {
  return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString("utf8"));
}

/**
 * The number of bytes before an incomplete character at the end. Splitting before a leading byte is always right, since
 * such a byte ends whatever came before it, complete or not.
 */
function wholeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return characterLength(byte) > back ? bytes.length - back : bytes.length;
    if (byte < 0x80) return bytes.length;
  }
  return bytes.length;
}

/** The length of the character that a leading byte announces; 1 for an invalid leading byte. */
function characterLength(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
