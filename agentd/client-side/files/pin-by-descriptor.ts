// SPDX-License-Identifier: MIT OR Apache-2.0
// Linux: pins with an O_PATH descriptor. The kernel tells where it is, and every later access goes through it.
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  statfsSync,
} from "node:fs";
import { kernelFileSystems } from "../../instance/kernel-files.ts";
import type { PinnedPath, PinOptions } from "./pinned-path.ts";

/** Opens neither a device nor a FIFO. Node has no constant for it, but passes the flag on. */
const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;

export function pinByDescriptor(path: string, { noFollow, directory }: PinOptions = {}): PinnedPath {
  return new DescriptorPin(openSync(path, O_PATH | (noFollow ? O_NOFOLLOW : 0) | (directory ? O_DIRECTORY : 0)));
}

const slash = 0x2f;

class DescriptorPin implements PinnedPath {
  readonly stat: BigIntStats;
  readonly #descriptor: number;
  readonly #procPath: string;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.#procPath = `/proc/self/fd/${descriptor}`;
    this.stat = fstatSync(descriptor, { bigint: true });
  }

  /**
   * Checks that the name the kernel gives leads to the same inode. It does not after a removal (the kernel then appends
   * " (deleted)", which may be another file's name), nor when the name is of another mount namespace.
   */
  currentPath(): Buffer | undefined {
    // Bytes, since a name need not be UTF-8. Fails with ENAMETOOLONG beyond 4096.
    const name = readlinkSync(this.#procPath, "buffer");
    // "pipe:[4026]" is not in the file system, and so in no directory.
    if (name[0] !== slash) return name;
    const there = lstatOf(name);
    return there?.ino === this.stat.ino && there.dev === this.stat.dev ? name : undefined;
  }

  isKernelFile(): boolean {
    return kernelFileSystems.has(statfsSync(this.#procPath).type);
  }

  pathTo(name: string): string {
    return `${this.#procPath}/${name}`;
  }

  openForReading(): number {
    // O_NONBLOCK: a file on which another program has a lease must fail, not block.
    return openSync(this.#procPath, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}

function lstatOf(name: Buffer): BigIntStats | undefined {
  try {
    return lstatSync(name, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A directory on the way cannot be entered.
    return undefined;
  }
}
