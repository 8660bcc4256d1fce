// SPDX-License-Identifier: MIT OR Apache-2.0
// Pins the directory that a file is written to, and creates what is missing of it.
import { mkdirSync } from "node:fs";
import type { PinnedPath } from "./pinned-path.ts";
import { type Confinement, pinNearestDirectory, pinPath, missingRefusal, requireInside } from "./pin-inside.ts";
import { Refused, quotePath } from "./refusal.ts";

/** The last component of the path. Throws `Refused` for "", "." and "..", which name directories. */
export function fileNameOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name === "" || name === "." || name === "..")
    throw new Refused("directory", `${quotePath(path)} names a directory.`);
  return name;
}

/** Creates nothing outside. Throws `Refused`, or the system's error. */
export function pinParent(path: string, confinement: Confinement): PinnedPath {
  const nearest = pinNearestDirectory(path.slice(0, path.lastIndexOf("/") + 1), confinement);
  const [first] = nearest.missing;
  let parent = nearest.directory;
  try {
    if (parent.isKernelFile())
      throw new Refused("not-a-file", `${quotePath(path)} is on a file system of the kernel's.`);
    if (first === undefined) return parent;
    const refused = missingRefusal(parent, first, nearest.error, path);
    if (refused.refusal.reason !== "missing" || !isMissing(nearest.error)) throw refused;
    // "new/.." does not exist, and creating "new" to resolve it would be wrong.
    if (nearest.missing.includes("..")) throw refused;
    requireInside(parent, path, confinement, { names: [...nearest.missing, fileNameOf(path)] });
    for (const name of nearest.missing) parent = makeDirectory(parent, name, path, confinement);
    return parent;
  } catch (error) {
    parent[Symbol.dispose]();
    throw error;
  }
}

/** Creates and pins one directory in `above`, which it unpins on success only. */
function makeDirectory(above: PinnedPath, name: string, path: string, confinement: Confinement): PinnedPath {
  try {
    mkdirSync(above.pathTo(name));
  } catch (error) {
    // Another process created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const { pin = pinPath } = confinement;
  const pinned = pin(above.pathTo(name), { noFollow: true, directory: true });
  try {
    requireInside(pinned, path, confinement);
  } catch (error) {
    pinned[Symbol.dispose]();
    throw error;
  }
  above[Symbol.dispose]();
  return pinned;
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}
