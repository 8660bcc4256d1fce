// SPDX-License-Identifier: MIT OR Apache-2.0
// Tells whether a path is inside the session's directories. Compares bytes, by whole path components.
import { realPathOf } from "../../instance/directories.ts";
import { kernelDirectories } from "../../instance/kernel-files.ts";
import type { FileIdentity, Reserved } from "../../instance/reserved.ts";
import { Refused, quotePath } from "./refusal.ts";

export interface Boundary {
  /** Real paths of the session's directories at its start. They may have been removed or replaced since. */
  readonly directories: readonly string[];
  /** Counts as outside even within those directories. */
  readonly reserved: Reserved;
}

const listedDirectoriesMax = 8;

export type Side = "inside" | "outside" | "reserved";

/**
 * `where` is a real path whose last components need not exist; `file` is what exists there. An empty or relative
 * directory contains nothing, and `/proc`, `/sys` and `/dev` are always outside.
 */
export function findSide(where: Buffer, { directories, reserved }: Boundary, file?: FileIdentity): Side {
  const isIn =
    directories.some((directory) => isWithin(where, directory)) &&
    !kernelDirectories.some((kernels) => isWithin(where, kernels));
  if (!isIn) return "outside";
  return reserved.includes(where, file) ? "reserved" : "inside";
}

/** The same message whether or not the file exists, so that it tells nothing about the outside. */
export function refusalOf(side: Exclude<Side, "inside">, path: string, { directories }: Boundary): Refused {
  if (side === "outside") return outside(path, directories);
  const what = "agentd's configuration, log, secrets or sockets";
  return new Refused("reserved", `${quotePath(path)} is reserved for ${what}; no session may use it.`);
}

function outside(path: string, directories: readonly string[]): Refused {
  const gone = directories.find(
    (directory) => isNamedIn(path, directory) && realPathOf(directory) !== (withoutLastSlash(directory) || "/"),
  );
  if (gone !== undefined) {
    return new Refused(
      "gone",
      `The session's directory ${quotePath(gone)} was removed or replaced; ${advice(directories)}`,
    );
  }
  return new Refused(
    "outside",
    `${quotePath(path)} is outside the session's directories, or leads out of them; ${advice(directories)}`,
  );
}

function advice(directories: readonly string[]): string {
  if (directories.length === 0) return "there is no directory in which files may be read and written.";
  const named = directories.slice(0, listedDirectoriesMax).map(quotePath).join(", ");
  const more =
    directories.length > listedDirectoriesMax ? ` and ${directories.length - listedDirectoriesMax} more` : "";
  return `files may be read and written in ${named}${more}.`;
}

function isWithin(where: Buffer, directory: string): boolean {
  if (!directory.startsWith("/")) return false;
  const name = Buffer.from(withoutLastSlash(directory));
  if (where.length < name.length || where.compare(name, 0, name.length, 0, name.length) !== 0) return false;
  // The byte after the directory's name must end a component. "/" became "", so this holds for it too.
  return where.length === name.length || where[name.length] === slash;
}

const slash = 0x2f;

/** Compares the text only. */
function isNamedIn(path: string, directory: string): boolean {
  return directory.startsWith("/") && `${path}/`.startsWith(`${withoutLastSlash(directory)}/`);
}

function withoutLastSlash(directory: string): string {
  return directory.replace(/\/+$/, "");
}
