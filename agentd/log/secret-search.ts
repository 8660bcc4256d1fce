// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds a secret by its length and SHA-256 alone: hashes every stretch of that length.
import { hash } from "node:crypto";
import { callLimits } from "../vocabulary/index.ts";
import type { Steps } from "./steps.ts";
import { isContinuation } from "./utf8-cut.ts";

/** Identifies a secret without revealing it. */
export interface Secret {
  /** SHA-256 of its UTF-8 bytes, in lowercase hexadecimal. */
  readonly sha256: string;
  /** Number of its UTF-8 bytes: `secretBytesMin` to `secretBytesMax`. */
  readonly length: number;
}

const { secretBytesMin, secretBytesMax } = callLimits;

export interface SecretSearch {
  readonly length: number;
  /** Finds the byte offsets of the secret in UTF-8 text, in order, without overlaps. */
  occurrences(text: Buffer): Steps<number[]>;
}

/**
 * Costs 1 to 2 µs per byte of text for a secret of one line. A step hashes at 2048 positions, fewer for a long secret,
 * counted over all texts. Throws RangeError for a length out of range and for a malformed SHA-256.
 */
export function secretSearch({ sha256, length }: Secret): SecretSearch {
  if (!(Number.isInteger(length) && length >= secretBytesMin && length <= secretBytesMax)) {
    throw new RangeError(`a secret has ${secretBytesMin} to ${secretBytesMax} bytes, not ${length}`);
  }
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new RangeError("a SHA-256 has 64 lowercase hexadecimal digits");
  const placesPerStep = Math.max(1, Math.floor(hashedBytesPerStep / Math.max(length, hashCostBytes)));
  let looked = 0;
  return {
    length,
    occurrences: function* (text) {
      const found: number[] = [];
      for (let at = 0; at + length <= text.length; at += 1) {
        // A secret begins and ends at character boundaries.
        if (isContinuation(text[at]) || isContinuation(text[at + length])) continue;
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
/** The fixed cost of a hash, in bytes that could be hashed in that time. */
const hashCostBytes = 256;
