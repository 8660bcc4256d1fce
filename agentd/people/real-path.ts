// SPDX-License-Identifier: MIT OR Apache-2.0
// Resolves a path that an agent wrote. Reads the file system and changes nothing.
import { lstatSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { isWithin } from "../instance/within.ts";

/** Missing components at the end of a path; resolving thousands would take long. */
const missingNamesMax = 32;

/**
 * Resolves links. Of a missing file, resolves the nearest existing parent. Undefined if the path is relative, contains
 * `..` or NUL, ends in a broken link, passes a directory that cannot be searched, or is in /proc or /dev, which each
 * process sees differently.
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
    // The native variant, since the other removes `..` from the text.
    return { path: realpathSync.native(path) };
  } catch (cause) {
    return isMissing(cause) && !isThere(path) ? "missing" : "unclear";
  }
}

/** A broken link exists: a write through it would create its target elsewhere. */
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
