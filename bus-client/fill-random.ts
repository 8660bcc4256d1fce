// SPDX-License-Identifier: MIT OR Apache-2.0

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/**
 * Fills the bytes with what nobody can guess, from the kernel's generator. It is asked directly, since loading
 * `node:crypto` costs a short command a fifth of its time; where there is no such device, that is what is done.
 */
export function fillRandom(bytes: Buffer, device = "/dev/urandom"): void {
  if (!readFrom(device, bytes)) process.getBuiltinModule("node:crypto").randomFillSync(bytes);
}

/** False where it is not a device of characters that gives as much as was asked for: a file would not be random. */
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
