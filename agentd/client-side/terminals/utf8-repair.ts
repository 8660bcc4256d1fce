// SPDX-License-Identifier: MIT OR Apache-2.0
// Bytes of one stream to whole characters of UTF-8: what a read of the pipe cut through waits for its other half, what
// is no UTF-8 becomes U+FFFD. The result does not depend on where the reads cut.
import { isUtf8 } from "node:buffer";

const nothing = Buffer.alloc(0);

export class Utf8Repair {
  /** The beginning of a character: at most three bytes. */
  #partial: Buffer = nothing;

  /** The whole characters that are there by now, as UTF-8. */
  write(chunk: Buffer): Buffer {
    const bytes = this.#partial.length === 0 ? chunk : Buffer.concat([this.#partial, chunk]);
    const whole = wholeLength(bytes);
    // A copy: a view would keep the whole read of the pipe in memory.
    this.#partial = whole === bytes.length ? nothing : Buffer.from(bytes.subarray(whole));
    return repaired(bytes.subarray(0, whole));
  }

  /** The stream is over: a character without its end is none. */
  end(): Buffer {
    const rest = repaired(this.#partial);
    this.#partial = nothing;
    return rest;
  }
}

/** Text that is UTF-8 already, as nearly all is, is only looked at. */
function repaired(bytes: Buffer): Buffer {
  return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString("utf8"));
}

/**
 * How many of the bytes come before a character at the end that misses some of its own. A cut before a leading byte is
 * always right: such a byte ends whatever stood before it, complete or not.
 */
function wholeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return characterLength(byte) > back ? bytes.length - back : bytes.length;
    if (byte < 0x80) return bytes.length;
  }
  return bytes.length;
}

/** Of the character that a leading byte announces; 1 for a byte that can lead none. */
function characterLength(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
