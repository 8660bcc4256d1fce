// SPDX-License-Identifier: MIT OR Apache-2.0
// Takes hold of what a path leads to, if that really is in the session's directories.
import { lstatSync } from "node:fs";
import type { FileIdentity } from "../../instance/reserved.ts";
import { type Boundary, refusalOf, type Side, sideOf } from "./boundary.ts";
import type { Hold, Held, HoldOptions } from "./held.ts";
import { Refused, refusedBySystem, shown } from "./refusal.ts";

/** What is being replaced while it is looked at is looked at so many times. */
const looksMax = 4;
/** Bytes of a path with its last zero, as in Linux. */
const pathBytesMax = 4096;

export interface Confinement extends Boundary {
  readonly hold: Hold;
}

/** Throws `Refused` for a text that is no path of a file. */
export function requirePath(path: string): void {
  if (path.includes("\0")) throw new Refused("name", "A path has no NUL character in it.");
  if (!path.startsWith("/"))
    throw new Refused("relative", `${shown(path)} is not an absolute path; name it from / on.`);
  // It would be looked for under another name, with U+FFFD in it.
  if (/\p{Surrogate}/u.test(path)) throw new Refused("name", `${shown(path)} has half a character in it.`);
  if (Buffer.byteLength(path) >= pathBytesMax) throw new Refused("name", `${shown(path)} is too long for a path.`);
}

/** What the path leads to, all links followed. Throws `Refused`. */
export function holdInside(path: string, confinement: Confinement): Held {
  const held = holdWhere(path, undefined, confinement);
  if (typeof held === "string") throw refusalOf(held, path, confinement);
  if (!(held instanceof Error)) return held;
  using nearest = holdNearest(path, confinement);
  requireInside(nearest.held, path, confinement, { names: nearest.missing });
  throw nearest.missing[0] === undefined
    ? refusedBySystem(held, path)
    : notThere(nearest.held, nearest.missing[0], held, path);
}

export interface Nearest extends Disposable {
  /** A directory inside. */
  readonly held: Held;
  /** The names below it that lead on to the path and are not there. */
  readonly missing: readonly string[];
  /** Why not; ENOENT for what could be made. */
  readonly error: unknown;
}

/** The last directory on the path that is there. Throws `Refused` where it is not inside. */
export function holdNearest(path: string, confinement: Confinement): Nearest {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  const { there, error } = lengthThere(names, confinement.hold);
  const held = holdWhere(prefix(names, there), { directory: true }, confinement);
  if (typeof held === "string") throw refusalOf(held, path, confinement);
  if (held instanceof Error) throw replaced(path);
  return { held, missing: names.slice(there), error, [Symbol.dispose]: () => held[Symbol.dispose]() };
}

/** Halves the path, as below what is not there nothing is: a path of 2,000 names must not take a second. */
function lengthThere(names: readonly string[], hold: Hold): { readonly there: number; readonly error: unknown } {
  let there = 0;
  let missing = names.length + 1;
  let error: unknown;
  // First the whole, which is there as a rule.
  for (let length = names.length; missing - there > 1; length = Math.floor((there + missing) / 2)) {
    try {
      hold(prefix(names, length), { directory: true })[Symbol.dispose]();
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
export function notThere(directory: Held, name: string, error: unknown, path: string): Refused {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") {
    const link = lstatSync(directory.at(name), { throwIfNoEntry: false })?.isSymbolicLink();
    if (link) return new Refused("link", `${shown(path)}: ${shown(name)} in it is a link that leads nowhere.`);
  }
  return refusedBySystem(error, path);
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
export function requireInside(directory: Held, path: string, boundary: Boundary, below?: Below): void {
  const where = directory.where();
  if (where === undefined) throw replaced(path);
  const names = below?.names ?? [];
  const place = names.length === 0 ? where : Buffer.concat([where, Buffer.from(`/${names.join("/")}`)]);
  const side = sideOf(place, boundary, below?.file);
  if (side !== "inside") throw refusalOf(side, path, boundary);
}

/** The system's error stands for what cannot be opened; whether it is inside is not known then. */
function holdWhere(
  path: string,
  options: HoldOptions | undefined,
  confinement: Confinement,
): Held | Exclude<Side, "inside"> | Error {
  for (let look = 0; look < looksMax; look++) {
    let held: Held | undefined;
    try {
      held = confinement.hold(path, options);
      const where = held.where();
      const side = where && sideOf(where, confinement, held.stat);
      if (side === "inside") return held;
      held[Symbol.dispose]();
      if (side !== undefined) return side;
    } catch (error) {
      held?.[Symbol.dispose]();
      return error as Error;
    }
  }
  throw replaced(path);
}

function replaced(path: string): Refused {
  return new Refused("busy", `${shown(path)} is being moved or replaced at this moment; try again.`);
}
