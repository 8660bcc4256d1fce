// SPDX-License-Identifier: MIT OR Apache-2.0
// The session's directories, and what lies in them: by whole names and by bytes.
import { realpathSync } from "node:fs";
import { kernelDirectories } from "../../instance/kernel-files.ts";
import { Refused, shown } from "./refusal.ts";

/** How many directories a message names. */
const namedMax = 8;

/** `where` is a place without links. Nothing lies in "" or in a relative directory; `/proc`, `/sys`, `/dev` lie in none. */
export function isInside(where: Buffer, directories: readonly string[]): boolean {
  return (
    directories.some((directory) => isWithin(where, directory)) &&
    !kernelDirectories.some((kernels) => isWithin(where, kernels))
  );
}

/** Why a path that is not inside is refused; the same words whether or not there is anything. */
export function outside(path: string, directories: readonly string[]): Refused {
  const gone = directories.find((directory) => isNamedIn(path, directory) && !isStillThere(directory));
  if (gone !== undefined) {
    return new Refused(
      "gone",
      `The session's directory ${shown(gone)} was removed, or is another one by now; ${advice(directories)}`,
    );
  }
  return new Refused(
    "outside",
    `${shown(path)} is not in the session's directories, or leads out of them; ${advice(directories)}`,
  );
}

function advice(directories: readonly string[]): string {
  if (directories.length === 0) return "there are none in which files may be read and written.";
  const named = directories.slice(0, namedMax).map(shown).join(", ");
  const more = directories.length > namedMax ? ` and ${directories.length - namedMax} more` : "";
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
