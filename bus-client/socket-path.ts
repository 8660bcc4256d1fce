// SPDX-License-Identifier: MIT OR Apache-2.0

import { BusError } from "./bus-error.ts";

/** The maximum bytes of a Unix socket's path. Node silently truncates a longer one, and then uses another file. */
export const unixPathBytesMax = 107;

/** Throws BusError PATH_TOO_LONG. */
export function checkUnixPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= unixPathBytesMax) return;
  throw new BusError(
    "PATH_TOO_LONG",
    `the path of a Unix socket may have at most ${unixPathBytesMax} bytes, but this has ${bytes}: ${path}`,
  );
}

/** Returns the address of a broker on a Unix socket. */
export function unixUrl(socketPath: string): string {
  return `ws+unix://${socketPath}:/ws`;
}
