// SPDX-License-Identifier: MIT OR Apache-2.0
// Something in the file system that is held on to while it is judged and used, whatever happens to its name meanwhile.
import type { BigIntStats } from "node:fs";

export interface PinnedPath extends Disposable {
  readonly stat: BigIntStats;
  /** Where it is now, as bytes without links; undefined: it has no name any more, or it is just being moved. */
  currentPath(): Buffer | undefined;
  /** Whether it is a file of the kernel's, wherever that is mounted. */
  isKernelFile(): boolean;
  /** Of a directory: the path by which that name in it is reached. */
  pathTo(name: string): string;
  /** Of an ordinary file: a descriptor that reads it. */
  openForReading(): number;
}

export interface PinOptions {
  /** A link is refused (ELOOP or ENOTDIR) or held itself, never followed. Without it all links are followed. */
  readonly noFollow?: true;
  /** Anything but a directory is ENOTDIR. */
  readonly directory?: true;
}

/** Opens nothing that could wait, ring or be changed by being opened. Throws the system's error. */
export type Pin = (path: string, options?: PinOptions) => PinnedPath;
