// SPDX-License-Identifier: MIT OR Apache-2.0
// Takes hold of the directory that a file is to be written in, and makes what is missing of it.
import { mkdirSync } from "node:fs";
import type { PinnedPath } from "./pinned-path.ts";
import { type Confinement, pinNearestDirectory, missingRefusal, requireInside } from "./pin-inside.ts";
import { Refused, quotePath } from "./refusal.ts";

/** The file's own name, the path's last. Throws `Refused` where that can only be a directory's. */
export function fileNameOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name === "" || name === "." || name === "..")
    throw new Refused("directory", `${quotePath(path)} names a directory.`);
  return name;
}

/** A directory inside: nothing is made in one that is not. Throws `Refused`, or the system's error. */
export function pinParent(path: string, confinement: Confinement): PinnedPath {
  const nearest = pinNearestDirectory(path.slice(0, path.lastIndexOf("/") + 1), confinement);
  const [first] = nearest.missing;
  let parent = nearest.directory;
  try {
    if (parent.isKernelFile()) throw new Refused("not-a-file", `${quotePath(path)} would be a file of the kernel's.`);
    if (first === undefined) return parent;
    const refused = missingRefusal(parent, first, nearest.error, path);
    if (refused.refusal.reason !== "missing" || !isMissing(nearest.error)) throw refused;
    // "new/.." is nowhere, and is not made to be somewhere.
    if (nearest.missing.includes("..")) throw refused;
    requireInside(parent, path, confinement, { names: [...nearest.missing, fileNameOf(path)] });
    for (const name of nearest.missing) parent = makeDirectory(parent, name, path, confinement);
    return parent;
  } catch (error) {
    parent[Symbol.dispose]();
    throw error;
  }
}

/** One step down. Lets the directory above go; after an error it is still pinned. */
function makeDirectory(above: PinnedPath, name: string, path: string, confinement: Confinement): PinnedPath {
  try {
    mkdirSync(above.pathTo(name));
  } catch (error) {
    // By somebody else, meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const pinned = confinement.pin(above.pathTo(name), { noFollow: true, directory: true });
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
