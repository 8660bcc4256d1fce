// SPDX-License-Identifier: MIT OR Apache-2.0
// Systems other than Linux: checks the real path before each use. A swap between the check and the use defeats this;
// the descriptors of Linux cannot be defeated so.
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PinnedPath, PinOptions } from "./pinned-path.ts";

const { O_NOFOLLOW, O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;

export function pinByPath(path: string, { noFollow, directory }: PinOptions = {}): PinnedPath {
  const real = noFollow ? join(realpathSync.native(dirname(path)), basename(path)) : realpathSync.native(path);
  const pinned = new PathPin(real);
  if (directory && !pinned.stat.isDirectory()) throw systemError("ENOTDIR", path);
  return pinned;
}

class PathPin implements PinnedPath {
  readonly stat: BigIntStats;
  readonly #real: string;

  constructor(real: string) {
    this.#real = real;
    this.stat = lstatSync(real, { bigint: true });
  }

  currentPath(): Buffer | undefined {
    const there = lstatSync(this.#real, { bigint: true, throwIfNoEntry: false });
    if (there === undefined || !this.#isSame(there)) return undefined;
    return realpathSync.native(dirname(this.#real)) === dirname(this.#real) ? Buffer.from(this.#real) : undefined;
  }

  isKernelFile(): boolean {
    return false;
  }

  pathTo(name: string): string {
    return join(this.#real, name);
  }

  openForReading(): number {
    const descriptor = openSync(this.#real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (this.#isSame(fstatSync(descriptor, { bigint: true }))) return descriptor;
    closeSync(descriptor);
    throw systemError("EBUSY", this.#real);
  }

  [Symbol.dispose](): void {}

  #isSame(there: BigIntStats): boolean {
    return there.ino === this.stat.ino && there.dev === this.stat.dev;
  }
}

function systemError(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code, syscall: "open" });
}
