// SPDX-License-Identifier: MIT OR Apache-2.0
// Pins what a path leads to, or the directory of a file to be written, if that is inside the session's directories.
import { lstatSync, mkdirSync } from "node:fs";
import type { FileIdentity } from "../../instance/reserved.ts";
import { type Boundary, refusalOf, type Side, findSide } from "./boundary.ts";
import { pinByDescriptor } from "./pin-by-descriptor.ts";
import { pinByPath } from "./pin-by-path.ts";
import type { Pin, PinnedPath, PinOptions } from "./pinned-path.ts";
import { Refused, toRefused, quotePath } from "./refusal.ts";

/** Attempts when the path is swapped while it is being checked. */
const checkAttemptsMax = 4;
/** PATH_MAX of Linux, with the terminating NUL. */
const pathBytesMax = 4096;

/** Linux pins by descriptor. Other systems check the real path before each use, which a swap in between can defeat. */
export const pinPath: Pin = process.platform === "linux" ? pinByDescriptor : pinByPath;

export interface Confinement extends Boundary {
  /** By default `pinPath`. */
  readonly pin?: Pin;
}

/** Throws `Refused` for a text that cannot be an absolute path. */
export function requirePath(path: string): void {
  if (path.includes("\0")) throw new Refused("name", "A path cannot contain a NUL character.");
  if (!path.startsWith("/"))
    throw new Refused("relative", `${quotePath(path)} is not an absolute path; begin it with /.`);
  // Node would replace it with U+FFFD and look for another name.
  if (/\p{Surrogate}/u.test(path)) throw new Refused("name", `${quotePath(path)} contains a lone surrogate.`);
  if (Buffer.byteLength(path) >= pathBytesMax) throw new Refused("name", `${quotePath(path)} is too long for a path.`);
}

/** Follows all links. Throws `Refused`. */
export function pinInside(path: string, confinement: Confinement): PinnedPath {
  const pinned = pinIfInside(path, undefined, confinement);
  if (typeof pinned === "string") throw refusalOf(pinned, path, confinement);
  if (!(pinned instanceof Error)) return pinned;
  using nearest = pinNearestDirectory(path, confinement);
  requireInside(nearest.directory, path, confinement, { names: nearest.missing });
  throw nearest.missing[0] === undefined
    ? toRefused(pinned, path)
    : missingRefusal(nearest.directory, nearest.missing[0], pinned, path);
}

export interface NearestDirectory extends Disposable {
  /** Is inside. */
  readonly directory: PinnedPath;
  /** The components of the path below it, which do not exist. */
  readonly missing: readonly string[];
  /** Why the first of them cannot be opened; ENOENT if it could be created. */
  readonly error: unknown;
}

/** Pins the deepest existing directory of the path. Throws `Refused` if it is not inside. */
export function pinNearestDirectory(path: string, confinement: Confinement): NearestDirectory {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  const { there, error } = countExisting(names, confinement);
  const pinned = pinIfInside(prefix(names, there), { directory: true }, confinement);
  if (typeof pinned === "string") throw refusalOf(pinned, path, confinement);
  if (pinned instanceof Error) throw replacedRefusal(path);
  return { directory: pinned, missing: names.slice(there), error, [Symbol.dispose]: () => pinned[Symbol.dispose]() };
}

/** Bisects, since nothing exists below a missing directory: a path of 2,000 components must not take a second. */
function countExisting(
  names: readonly string[],
  { pin = pinPath }: Confinement,
): { readonly there: number; readonly error: unknown } {
  let there = 0;
  let missing = names.length + 1;
  let error: unknown;
  // Starts with the whole path, which usually exists.
  for (let length = names.length; missing - there > 1; length = Math.floor((there + missing) / 2)) {
    try {
      pin(prefix(names, length), { directory: true })[Symbol.dispose]();
      there = length;
    } catch (cause) {
      missing = length;
      error = cause;
    }
  }
  return { there, error };
}

function prefix(names: readonly string[], length: number): string {
  return `/${names.slice(0, length).join("/")}`;
}

/** Says why a name cannot be opened in a directory that is inside. */
function missingRefusal(directory: PinnedPath, name: string, error: unknown, path: string): Refused {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") {
    const link = lstatSync(directory.pathTo(name), { throwIfNoEntry: false })?.isSymbolicLink();
    if (link) return new Refused("link", `${quotePath(path)}: ${quotePath(name)} in it is a broken link.`);
  }
  return toRefused(error, path);
}

/** A path below a directory, which need not exist, and what exists there, if anything. */
export interface Below {
  readonly names: readonly string[];
  readonly file?: FileIdentity | undefined;
}

/** Checks again where a pinned directory is now, and the names below it. Throws `Refused` if any of it is outside. */
export function requireInside(directory: PinnedPath, path: string, boundary: Boundary, below?: Below): void {
  const where = directory.currentPath();
  if (where === undefined) throw replacedRefusal(path);
  const names = below?.names ?? [];
  const place = names.length === 0 ? where : Buffer.concat([where, Buffer.from(`/${names.join("/")}`)]);
  const side = findSide(place, boundary, below?.file);
  if (side !== "inside") throw refusalOf(side, path, boundary);
}

/** Returns the system's error if the path cannot be opened; whether it is inside is unknown then. */
function pinIfInside(
  path: string,
  options: PinOptions | undefined,
  confinement: Confinement,
): PinnedPath | Exclude<Side, "inside"> | Error {
  const { pin = pinPath } = confinement;
  for (let look = 0; look < checkAttemptsMax; look++) {
    let pinned: PinnedPath | undefined;
    try {
      pinned = pin(path, options);
      const where = pinned.currentPath();
      const side = where && findSide(where, confinement, pinned.stat);
      if (side === "inside") return pinned;
      pinned[Symbol.dispose]();
      if (side !== undefined) return side;
    } catch (error) {
      pinned?.[Symbol.dispose]();
      return error as Error;
    }
  }
  throw replacedRefusal(path);
}

function replacedRefusal(path: string): Refused {
  return new Refused("busy", `${quotePath(path)} is being moved or replaced at this moment; try again.`);
}

/** The last component of the path. Throws `Refused` for "", "." and "..", which name directories. */
export function fileNameOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name === "" || name === "." || name === "..")
    throw new Refused("directory", `${quotePath(path)} names a directory.`);
  return name;
}

/** Pins a file's directory, and creates what is missing of it, but nothing outside. Throws `Refused` or system errors. */
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
