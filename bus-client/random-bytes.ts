// SPDX-License-Identifier: MIT OR Apache-2.0

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Bytes that nobody can guess, drawn in blocks: one call into the kernel's generator for a thousand frames. */
export class RandomBytes {
  readonly #block = Buffer.allocUnsafe(blockBytes);
  readonly #device: string;
  #used = blockBytes;

  constructor(device = "/dev/urandom") {
    this.#device = device;
  }

  /** The next bytes, at most 4096; they are good until the next call. */
  take(count: number): Buffer {
    if (this.#used + count > blockBytes) {
      fill(this.#block, this.#device);
      this.#used = 0;
    }
    this.#used += count;
    return this.#block.subarray(this.#used - count, this.#used);
  }
}

const blockBytes = 4_096;

/**
 * The kernel's generator is asked directly, since loading `node:crypto` costs a short command a fifth of its time; where
 * there is no such device, it is loaded.
 */
function fill(bytes: Buffer, device: string): void {
  if (!readFrom(device, bytes)) process.getBuiltinModule("node:crypto").randomFillSync(bytes);
}

/** False where it is no device of characters that gives as much as was asked for: a file would not be random. */
function readFrom(device: string, bytes: Buffer): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(device, "r");
  } catch {
    return false;
  }
  try {
    return fstatSync(descriptor).isCharacterDevice() && readSync(descriptor, bytes) === bytes.length;
  } catch {
    return false;
  } finally {
    closeSync(descriptor);
  }
}
