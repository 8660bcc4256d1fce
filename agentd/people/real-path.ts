// SPDX-License-Identifier: MIT OR Apache-2.0
// Where a path that an agent wrote really leads. It looks at the file system and changes nothing.
import { lstatSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { isWithin } from "../instance/within.ts";

/** Names at the end of a path that may be missing on the disk: a path of thousands would take long to look up. */
const missingNamesMax = 32;

/**
 * Without links. What does not exist is judged by its nearest parent that does. Undefined where it cannot be told: a
 * relative path, one with `..` or NUL, a link that leads nowhere, a directory that may not be looked into, and what
 * each process sees in its own way.
 */
export function findRealPath(path: string): string | undefined {
  if (!isAbsolute(path) || path.includes("\0") || path.split("/").includes("..")) return undefined;
  if (["/proc", "/dev"].some((directory) => isWithin(path, directory))) return undefined;
  let parent = path;
  for (let missing = 0; missing <= missingNamesMax; missing += 1) {
    const real = realOf(parent);
    if (real === "unclear") return undefined;
    if (real !== "missing") return join(real.path, relative(parent, path));
    parent = dirname(parent);
  }
  return undefined;
}

function realOf(path: string): { readonly path: string } | "missing" | "unclear" {
  try {
    // The C library's: the other one takes `..` away in the text.
    return { path: realpathSync.native(path) };
  } catch (cause) {
    return isMissing(cause) && !isThere(path) ? "missing" : "unclear";
  }
}

/** A link that leads nowhere is there, and what is written through it is made elsewhere. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (cause) {
    return !isMissing(cause);
  }
}

function isMissing(cause: unknown): boolean {
  return (cause as NodeJS.ErrnoException).code === "ENOENT";
}
