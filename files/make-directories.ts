// SPDX-License-Identifier: MIT OR Apache-2.0
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { findReplacementRisk } from "./replaceable.ts";

/**
 * Makes a directory and its missing parents, all with mode 0700. Throws the file system's error. mkdirSync with
 * `recursive` never returns where mkdir fails with ENOENT although the parent exists, as in /proc.
 */
export function makeDirectories(path: string): void {
  if (tryMakeDirectory(path)) return;
  makeDirectories(dirname(path));
  if (!tryMakeDirectory(path)) mkdirSync(path, { mode: 0o700 });
}

/** Returns false if the parent directory is missing. */
function tryMakeDirectory(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && dirname(path) !== path) return false;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return true;
    throw error;
  }
}

/**
 * Makes a directory with mode 0700 and its missing parents. Removes the permissions of others from a directory that
 * they can only read. Returns the reason if it must not be used: it is not a directory, belongs to another user, or
 * others can write or replace it. The reason names `program`.
 */
export function preparePrivateDirectory(path: string, uid: number, program: string): string | undefined {
  try {
    makeDirectories(path);
    const problem = privateDirectoryProblem(path, uid, program);
    if (problem !== undefined) return problem;
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700);
    return undefined;
  } catch (cause) {
    return directoryError(cause);
  }
}

/** The same reasons for a directory as it is; undefined also if it is missing in a safe place. Changes nothing. */
export function privateDirectoryProblem(path: string, uid: number, program: string): string | undefined {
  try {
    const replaceable = findReplacementRisk(dirname(path), { uid });
    if (replaceable !== undefined) return `is not safe where it is: ${replaceable}`;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (!found.isDirectory()) return "is not a directory";
    if (found.uid !== uid) return `belongs to user ${found.uid}, not to user ${uid} who runs ${program}`;
    return (found.mode & 0o022) === 0 ? undefined : "is writable by others; close it with: chmod go-w";
  } catch (cause) {
    return directoryError(cause);
  }
}

function directoryError(cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "EEXIST" || code === "ENOTDIR") return "is not a directory";
  return `cannot be used (${code ?? String(cause)})`;
}
