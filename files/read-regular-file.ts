// SPDX-License-Identifier: MIT OR Apache-2.0
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { readUpTo } from "./read-up-to.ts";

/**
 * Reads a small file. Throws as the file system does, and for a longer file, a pipe, which would block, or a device,
 * which may never end.
 */
export function readRegularFile(file: string, bytesMax: number): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new Error("it is not a regular file");
    if (found.size > bytesMax) throw new Error(`it has more than ${bytesMax} bytes`);
    return readUpTo(descriptor, found.size);
  } finally {
    closeSync(descriptor);
  }
}
