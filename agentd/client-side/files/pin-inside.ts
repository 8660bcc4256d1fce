// SPDX-License-Identifier: MIT OR Apache-2.0
// Takes hold of what a path leads to, if that really is in the session's directories.
import { lstatSync } from "node:fs";
import type { FileIdentity } from "../../instance/reserved.ts";
import { type Boundary, refusalOf, type Side, findSide } from "./boundary.ts";
import type { Pin, PinnedPath, PinOptions } from "./pinned-path.ts";
import { Refused, toRefused, quotePath } from "./refusal.ts";

/** What is being replaced while it is looked at is looked at so many times. */
const checkAttemptsMax = 4;
/** Bytes of a path with its last zero, as in Linux. */
const pathBytesMax = 4096;

export interface Confinement extends Boundary {
  readonly pin: Pin;
}

/** Throws `Refused` for a text that is no path of a file. */
export function requirePath(path: string): void {
  if (path.includes("\0")) throw new Refused("name", "A path has no NUL character in it.");
  if (!path.startsWith("/"))
    throw new Refused("relative", `${quotePath(path)} is not an absolute path; name it from / on.`);
  // It would be looked for under another name, with U+FFFD in it.
  if (/\p{Surrogate}/u.test(path)) throw new Refused("name", `${quotePath(path)} has half a character in it.`);
  if (Buffer.byteLength(path) >= pathBytesMax) throw new Refused("name", `${quotePath(path)} is too long for a path.`);
}

/** What the path leads to, all links followed. Throws `Refused`. */
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
  /** A directory inside. */
  readonly directory: PinnedPath;
  /** The names below it that lead on to the path and are not there. */
  readonly missing: readonly string[];
  /** Why not; ENOENT for what could be made. */
  readonly error: unknown;
}

/** The last directory on the path that is there. Throws `Refused` where it is not inside. */
export function pinNearestDirectory(path: string, confinement: Confinement): NearestDirectory {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  const { there, error } = countExisting(names, confinement.pin);
  const pinned = pinIfInside(prefix(names, there), { directory: true }, confinement);
  if (typeof pinned === "string") throw refusalOf(pinned, path, confinement);
  if (pinned instanceof Error) throw replacedRefusal(path);
  return { directory: pinned, missing: names.slice(there), error, [Symbol.dispose]: () => pinned[Symbol.dispose]() };
}

/** Halves the path, as below what is not there nothing is: a path of 2,000 names must not take a second. */
function countExisting(names: readonly string[], pin: Pin): { readonly there: number; readonly error: unknown } {
  let there = 0;
  let missing = names.length + 1;
  let error: unknown;
  // First the whole, which is there as a rule.
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

/** Why a name in a directory, which is inside, leads nowhere. */
export function missingRefusal(directory: PinnedPath, name: string, error: unknown, path: string): Refused {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") {
    const link = lstatSync(directory.pathTo(name), { throwIfNoEntry: false })?.isSymbolicLink();
    if (link) return new Refused("link", `${quotePath(path)}: ${quotePath(name)} in it is a link that leads nowhere.`);
  }
  return toRefused(error, path);
}

/** Names below a directory, which need not exist, and what stands there if something does. */
export interface Below {
  readonly names: readonly string[];
  readonly file?: FileIdentity | undefined;
}

/**
 * Looks again where a directory, which was inside, is now, and whether what is named below it is inside too. Throws
 * `Refused` where one of them is not.
 */
export function requireInside(directory: PinnedPath, path: string, boundary: Boundary, below?: Below): void {
  const where = directory.currentPath();
  if (where === undefined) throw replacedRefusal(path);
  const names = below?.names ?? [];
  const place = names.length === 0 ? where : Buffer.concat([where, Buffer.from(`/${names.join("/")}`)]);
  const side = findSide(place, boundary, below?.file);
  if (side !== "inside") throw refusalOf(side, path, boundary);
}

/** The system's error stands for what cannot be opened; whether it is inside is not known then. */
function pinIfInside(
  path: string,
  options: PinOptions | undefined,
  confinement: Confinement,
): PinnedPath | Exclude<Side, "inside"> | Error {
  for (let look = 0; look < checkAttemptsMax; look++) {
    let pinned: PinnedPath | undefined;
    try {
      pinned = confinement.pin(path, options);
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
