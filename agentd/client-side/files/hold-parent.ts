// SPDX-License-Identifier: MIT OR Apache-2.0
// Takes hold of the directory that a file is to be written in, and makes what is missing of it.
import { mkdirSync } from "node:fs";
import type { Held } from "./held.ts";
import { type Confinement, holdNearest, notThere, requireInside } from "./hold-inside.ts";
import { Refused, shown } from "./refusal.ts";

/** The file's own name, the path's last. Throws `Refused` where that can only be a directory's. */
export function nameIn(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name === "" || name === "." || name === "..") throw new Refused("directory", `${shown(path)} names a directory.`);
  return name;
}

/** A directory inside: nothing is made in one that is not. Throws `Refused`, or the system's error. */
export function holdParent(path: string, confinement: Confinement): Held {
  const nearest = holdNearest(path.slice(0, path.lastIndexOf("/") + 1), confinement);
  const [first] = nearest.missing;
  let parent = nearest.held;
  try {
    if (parent.isKernels()) throw new Refused("not-a-file", `${shown(path)} would be a file of the kernel's.`);
    if (first === undefined) return parent;
    const refused = notThere(parent, first, nearest.error, path);
    if (refused.refusal.reason !== "missing" || !isMissing(nearest.error)) throw refused;
    // "new/.." is nowhere, and is not made to be somewhere.
    if (nearest.missing.includes("..")) throw refused;
    requireInside(parent, path, confinement, { names: [...nearest.missing, nameIn(path)] });
    for (const name of nearest.missing) parent = made(parent, name, path, confinement);
    return parent;
  } catch (error) {
    parent[Symbol.dispose]();
    throw error;
  }
}

/** One step down. Lets the directory above go; after an error it is still held. */
function made(above: Held, name: string, path: string, confinement: Confinement): Held {
  try {
    mkdirSync(above.at(name));
  } catch (error) {
    // By somebody else, meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const held = confinement.hold(above.at(name), { noFollow: true, directory: true });
  try {
    requireInside(held, path, confinement);
  } catch (error) {
    held[Symbol.dispose]();
    throw error;
  }
  above[Symbol.dispose]();
  return held;
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}
