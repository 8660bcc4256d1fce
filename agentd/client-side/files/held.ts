// SPDX-License-Identifier: MIT OR Apache-2.0
// Something in the file system that is held on to while it is judged and used, whatever happens to its name meanwhile.
import type { BigIntStats } from "node:fs";

export interface Held extends Disposable {
  readonly stat: BigIntStats;
  /** Where it is now, as bytes without links; undefined: it has no name any more, or it is just being moved. */
  where(): Buffer | undefined;
  /** Whether it is a file of the kernel's, wherever that is mounted. */
  isKernels(): boolean;
  /** Of a directory: the path by which that name in it is reached. */
  at(name: string): string;
  /** Of an ordinary file: a descriptor that reads it. */
  openToRead(): number;
}

export interface HoldOptions {
  /** A link is refused (ELOOP or ENOTDIR) or held itself, never followed. Without it all links are followed. */
  readonly noFollow?: true;
  /** Anything but a directory is ENOTDIR. */
  readonly directory?: true;
}

/** Opens nothing that could wait, ring or be changed by being opened. Throws the system's error. */
export type Hold = (path: string, options?: HoldOptions) => Held;
