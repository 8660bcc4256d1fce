// SPDX-License-Identifier: MIT OR Apache-2.0
// Linux: a descriptor that only holds (O_PATH). Where it is says the kernel, and all that follows goes through it.
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

/** Opens no device and waits for no FIFO. Node has no name for it, and passes it on. */
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
   * The kernel's name for it, if that name leads to it from here: not so after a removal (" (deleted)" is then at the
   * end of the name, and a file may be called that), nor by the name that it has in another mount namespace.
   */
  currentPath(): Buffer | undefined {
    // Bytes: a name need not be UTF-8. Over 4096 of them: ENAMETOOLONG.
    const name = readlinkSync(this.#procPath, "buffer");
    // "pipe:[4026]": nowhere in the file system, and so in no directory.
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
    // Of an ordinary file; O_NONBLOCK for one that another program has a lease on.
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
    // A directory on the way that may not be entered from here: no name to go by.
    return undefined;
  }
}
