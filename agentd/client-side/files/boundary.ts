// SPDX-License-Identifier: MIT OR Apache-2.0
// The session's directories, and what lies in them: by whole names and by bytes.
import { realpathSync } from "node:fs";
import { kernelDirectories } from "../../instance/kernel-files.ts";
import type { FileIdentity, Reserved } from "../../instance/reserved.ts";
import { Refused, quotePath } from "./refusal.ts";

export interface Boundary {
  /** The session's, absolute and without links, as they were when it began. They may be gone, or be others, by now. */
  readonly directories: readonly string[];
  /** What is outside although it may lie in those. */
  readonly reserved: Reserved;
}

/** How many directories a message names. */
const listedDirectoriesMax = 8;

export type Side = "inside" | "outside" | "reserved";

/**
 * `where` is a place without links, of which the last names need not exist; `file` is what stands there. Nothing lies in
 * "" or in a relative directory; `/proc`, `/sys`, `/dev` lie in none.
 */
export function findSide(where: Buffer, { directories, reserved }: Boundary, file?: FileIdentity): Side {
  const isIn =
    directories.some((directory) => isWithin(where, directory)) &&
    !kernelDirectories.some((kernels) => isWithin(where, kernels));
  if (!isIn) return "outside";
  return reserved.includes(where, file) ? "reserved" : "inside";
}

/** Why a path that is not inside is refused; the same words whether or not there is anything. */
export function refusalOf(side: Exclude<Side, "inside">, path: string, { directories }: Boundary): Refused {
  return side === "reserved" ? reservedPath(path) : outside(path, directories);
}

function reservedPath(path: string): Refused {
  const what = "agentd keeps its configuration, its log, its secrets or a socket";
  return new Refused("reserved", `${quotePath(path)} is where ${what}; no session has a hand in it.`);
}

function outside(path: string, directories: readonly string[]): Refused {
  const gone = directories.find((directory) => isNamedIn(path, directory) && !isStillThere(directory));
  if (gone !== undefined) {
    return new Refused(
      "gone",
      `The session's directory ${quotePath(gone)} was removed, or is another one by now; ${advice(directories)}`,
    );
  }
  return new Refused(
    "outside",
    `${quotePath(path)} is not in the session's directories, or leads out of them; ${advice(directories)}`,
  );
}

function advice(directories: readonly string[]): string {
  if (directories.length === 0) return "there are none in which files may be read and written.";
  const named = directories.slice(0, listedDirectoriesMax).map(quotePath).join(", ");
  const more =
    directories.length > listedDirectoriesMax ? ` and ${directories.length - listedDirectoriesMax} more` : "";
  return `files may be read and written in ${named}${more}.`;
}

function isWithin(where: Buffer, directory: string): boolean {
  if (!directory.startsWith("/")) return false;
  const name = Buffer.from(withoutLastSlash(directory));
  if (where.length < name.length || where.compare(name, 0, name.length, 0, name.length) !== 0) return false;
  // After "" (which was "/") and after a name alike, the next byte ends the name.
  return where.length === name.length || where[name.length] === slash;
}

const slash = 0x2f;

/** By its text alone. */
function isNamedIn(path: string, directory: string): boolean {
  return directory.startsWith("/") && `${path}/`.startsWith(`${withoutLastSlash(directory)}/`);
}

function withoutLastSlash(directory: string): string {
  return directory.replace(/\/+$/, "");
}

function isStillThere(directory: string): boolean {
  try {
    return realpathSync.native(directory) === (withoutLastSlash(directory) || "/");
  } catch {
    return false;
  }
}
