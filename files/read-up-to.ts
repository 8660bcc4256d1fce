// SPDX-License-Identifier: MIT OR Apache-2.0
import { closeSync, constants, openSync, readSync } from "node:fs";
import { attempt } from "./attempt.ts";

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

/** Reads the file's first bytes. Undefined if it cannot be read, as a program that may only be executed. */
export function readHead(file: string, bytesMax: number): Buffer | undefined {
  return attempt(() => {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readUpTo(descriptor, bytesMax);
    } finally {
      closeSync(descriptor);
    }
  });
}
