// SPDX-License-Identifier: MIT OR Apache-2.0
import { chmodSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectories } from "./make-directories.ts";
import { findReplacementRisk } from "./replaceable.ts";

/**
 * Makes a directory that is this user's alone (mode 0700) and what is missing above it; one that others can only read is
 * closed to them. Returns why it must not be used: it is no directory, belongs to another user, or others can write or
 * replace it. `program` is named in that reason.
 */
export function preparePrivateDirectory(path: string, uid: number, program: string): string | undefined {
  try {
    makeDirectories(path);
    const replaceable = findReplacementRisk(dirname(path), { uid });
    if (replaceable !== undefined) return `is not safe where it is: ${replaceable}`;
    const { uid: owner, mode } = statSync(path);
    if (owner !== uid) return `belongs to user ${owner}, not to user ${uid} who runs ${program}`;
    if ((mode & 0o022) !== 0) return "others can write it; close it with: chmod go-w";
    if ((mode & 0o077) !== 0) chmodSync(path, 0o700);
    return undefined;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EEXIST" || code === "ENOTDIR") return "is not a directory";
    return `cannot be used (${code ?? String(cause)})`;
  }
}
