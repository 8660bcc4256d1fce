// SPDX-License-Identifier: MIT OR Apache-2.0
// Disks of a test's own, where this user may mount one: root on Linux.
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

export interface Mounted extends Disposable {
  /** As mount -o remount takes them: "size=8m", "ro". */
  remount(options: string): void;
}

/** A disk of that size ("6m") in the directory, which is there and empty; undefined where nobody may mount one. */
export function mountSmallDisk(directory: string, size: string): Mounted | undefined {
  return mounted(directory, ["-t", "tmpfs", "-o", `size=${size},mode=0700`, "none", directory]);
}

/** What the kernel tells of itself, in a directory where nobody looks for it; undefined as above. */
export function mountKernelFiles(directory: string): Mounted | undefined {
  return mounted(directory, ["-t", "proc", "none", directory]);
}

/** The file, over itself, so that it alone can be made read-only; undefined as above. */
export function mountFile(file: string): Mounted | undefined {
  return mounted(file, ["--bind", file, file]);
}

/** Leaves no byte of the disk that the directory is on; the function that it returns makes room again. */
export function fillDisk(directory: string): () => void {
  const filler = join(directory, "filler");
  const descriptor = openSync(filler, "w");
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4096));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(descriptor);
  }
  return () => rmSync(filler);
}

function mounted(where: string, args: readonly string[]): Mounted | undefined {
  if (process.platform !== "linux" || spawnSync("mount", args).status !== 0) return undefined;
  return {
    remount: (options) => void execFileSync("mount", ["-o", `remount,${options}`, where]),
    [Symbol.dispose]: () => void spawnSync("umount", ["-l", where]),
  };
}
