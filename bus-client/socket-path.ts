// SPDX-License-Identifier: MIT OR Apache-2.0

import { BusError } from "./bus-error.ts";

/** Bytes of a Unix socket's path. Node cuts a longer one short without a word, and then meets a file of another name. */
export const unixPathBytesMax = 107;

/** Throws BusError PATH_TOO_LONG. */
export function checkUnixPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= unixPathBytesMax) return;
  throw new BusError(
    "PATH_TOO_LONG",
    `a Unix socket's path may have ${unixPathBytesMax} bytes, this one has ${bytes}: ${path}`,
  );
}

/** The address of a broker that listens on a Unix socket. */
export function unixUrl(socketPath: string): string {
  return `ws+unix://${socketPath}:/ws`;
}
