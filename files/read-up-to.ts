// SPDX-License-Identifier: MIT OR Apache-2.0
import { readSync } from "node:fs";

/** Reads from the descriptor's position to the end, but at most `bytesMax`. */
export function readUpTo(descriptor: number, bytesMax: number): Buffer {
  const buffer = Buffer.alloc(bytesMax);
  let length = 0;
  while (length < bytesMax) {
    const count = readSync(descriptor, buffer, length, bytesMax - length, null);
    if (count === 0) break;
    length += count;
  }
  return buffer.subarray(0, length);
}
