// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds a secret of which no more is known than its length and its SHA-256: every stretch of that length is hashed.
import { hash } from "node:crypto";
import { callLimits } from "../vocabulary/index.ts";
import type { Steps } from "./steps.ts";

/** What names a secret that itself must not be named. */
export interface Secret {
  /** Of its UTF-8 text, in small hexadecimal digits. */
  readonly sha256: string;
  /** Bytes of its UTF-8 text: `secretBytesMin` to `secretBytesMax`. */
  readonly length: number;
}

const { secretBytesMin, secretBytesMax } = callLimits;

export interface SecretSearch {
  readonly length: number;
  /** Where the secret stands in UTF-8 text, in bytes, in order, none over another. */
  occurrences(text: Buffer): Steps<number[]>;
}

/**
 * It costs 1 to 2 µs a byte for a secret of a line. A step hashes at 2048 places, at fewer for a long secret, whether
 * they are in one text or in many. Throws RangeError for a length out of bounds and for what is no SHA-256.
 */
export function secretSearch({ sha256, length }: Secret): SecretSearch {
  if (!(Number.isInteger(length) && length >= secretBytesMin && length <= secretBytesMax)) {
    throw new RangeError(`a secret has ${secretBytesMin} to ${secretBytesMax} bytes, not ${length}`);
  }
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new RangeError("a SHA-256 is written with 64 small hexadecimal digits");
  const placesPerStep = Math.max(1, Math.floor(hashedBytesPerStep / Math.max(length, hashCostBytes)));
  let looked = 0;
  return {
    length,
    occurrences: function* (text) {
      const found: number[] = [];
      for (let at = 0; at + length <= text.length; at += 1) {
        // A text begins and ends at a character.
        if (isInside(text[at]) || isInside(text[at + length])) continue;
        if (hash("sha256", text.subarray(at, at + length)) === sha256) {
          found.push(at);
          at += length - 1;
        }
        looked += 1;
        if (looked % placesPerStep === 0) yield;
      }
      return found;
    },
  };
}

const hashedBytesPerStep = 512 * 1024;
/** A hash of few bytes costs as much as one of so many more. */
const hashCostBytes = 256;

/** Is no first byte of a character; the end of the text is none. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
