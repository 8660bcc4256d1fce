// SPDX-License-Identifier: MIT OR Apache-2.0
// A file or directory that stays the same object while it is checked and used, even if its name is swapped meanwhile.
import type { BigIntStats } from "node:fs";

export interface PinnedPath extends Disposable {
  readonly stat: BigIntStats;
  /** Its real path at this moment, as bytes. Undefined if it has no name any more or is being moved. */
  currentPath(): Buffer | undefined;
  /** Whether it is on proc, sysfs or the like, wherever that is mounted. */
  isKernelFile(): boolean;
  /** The path to a name in this directory, through the pin. */
  pathTo(name: string): string;
  /** Opens this regular file and returns the descriptor. */
  openForReading(): number;
}

export interface PinOptions {
  /** Never follows a link at the end of the path: fails with ELOOP or ENOTDIR, or pins the link itself. */
  readonly noFollow?: true;
  /** Fails with ENOTDIR for anything but a directory. */
  readonly directory?: true;
}

/** Neither blocks on a FIFO nor opens a device. Throws the system's error. */
export type Pin = (path: string, options?: PinOptions) => PinnedPath;
