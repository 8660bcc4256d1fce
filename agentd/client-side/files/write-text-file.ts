// SPDX-License-Identifier: MIT OR Apache-2.0
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { type Boundary, findSide } from "./boundary.ts";
import type { PinnedPath } from "./pinned-path.ts";
import {
  type Confinement,
  fileNameOf,
  pinNearestDirectory,
  pinParent,
  requireInside,
  requirePath,
} from "./pin-inside.ts";
import { tooBigRefusal } from "./read-text-file.ts";
import { catchRefusal, Refused, type RefusedResult, quotePath } from "./refusal.ts";

export interface WriteOptions extends Confinement {
  /** A file name that no other write to the directory uses; `sweepTemporary` removes the file after a kill -9. */
  readonly temporaryName: string;
  /** Limit of the content as UTF-8. */
  readonly bytesMax: number;
}

export type WriteResult =
  | {
      readonly ok: true;
      readonly bytes: number;
      /**
       * Somebody with the right to do so moved the directory out between the last check and the rename, so the file may
       * have been written outside. The caller logs it.
       */
      readonly moved?: true;
    }
  | RefusedResult;

/**
 * Writes a text file inside the session's directories, atomically (temporary file, fsync, rename), with the directories
 * that are missing. A replaced file keeps its permissions (without setuid, setgid and sticky bits), owner and group, or
 * the write is refused; other hard links to it keep the old text. Directories of the path may be links, which are checked
 * by their real path; the file itself may not, since the rename would replace the link. Refuses a lone surrogate, which
 * UTF-8 cannot encode. After a refusal the old file is unchanged and the temporary file removed; created directories
 * stay. Never throws for an error of the file system, and blocks on nothing but the disk.
 */
export function writeTextFile(
  path: string,
  content: string,
  { temporaryName, bytesMax, ...confinement }: WriteOptions,
): WriteResult {
  return catchRefusal(path, () => {
    requirePath(path);
    const name = fileNameOf(path);
    const bytes = encodeText(content, path, bytesMax);
    using parent = pinParent(path, confinement);
    const old = checkTarget(parent, name, path, confinement);
    const temporary = parent.pathTo(temporaryName);
    const descriptor = openSync(temporary, newFile, old ? 0o600 : 0o666);
    try {
      writeAll(descriptor, bytes, old, path);
      checkTarget(parent, name, path, confinement);
      renameSync(temporary, parent.pathTo(name));
    } catch (error) {
      removeIfThere(temporary);
      throw error;
    }
    syncDirectory(parent);
    return { ok: true, bytes: bytes.length, ...(isStillInside(parent, confinement) ? {} : { moved: true }) };
  });
}

/**
 * Applies the same rules to a write that somebody else is to do, and creates the directories that are missing. The one who
 * writes goes by the path, which can be swapped meanwhile.
 */
export function checkWritable(
  path: string,
  content: string,
  { bytesMax, ...confinement }: Omit<WriteOptions, "temporaryName">,
): { readonly ok: true } | RefusedResult {
  return catchRefusal(path, () => {
    requirePath(path);
    const name = fileNameOf(path);
    encodeText(content, path, bytesMax);
    using parent = pinParent(path, confinement);
    checkTarget(parent, name, path, confinement);
    return { ok: true };
  });
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_DIRECTORY, W_OK } = constants;
const newFile = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

function encodeText(content: string, path: string, bytesMax: number): Buffer {
  if (/\p{Surrogate}/u.test(content)) {
    throw new Refused(
      "not-text",
      `The text for ${quotePath(path)} contains a lone surrogate, which UTF-8 cannot encode.`,
    );
  }
  if (Buffer.byteLength(content) > bytesMax) throw tooBigRefusal(path, bytesMax);
  return Buffer.from(content);
}

/** Stats the target; undefined if there is none. Throws `Refused` if it may not be replaced or is no longer inside. */
function checkTarget(parent: PinnedPath, name: string, path: string, boundary: Boundary): BigIntStats | undefined {
  const old = lstatSync(parent.pathTo(name), { bigint: true, throwIfNoEntry: false });
  requireInside(parent, path, boundary, { names: [name], file: old });
  if (old === undefined) return undefined;
  if (old.isSymbolicLink())
    throw new Refused("link", `${quotePath(path)} is a link; write to the file that it leads to, by its own path.`);
  if (old.isDirectory()) throw new Refused("directory", `${quotePath(path)} is a directory.`);
  if (!old.isFile()) throw new Refused("not-a-file", `${quotePath(path)} is not a regular file.`);
  // A rename needs the directory's permissions only, so the file's are checked here.
  if ((old.mode & 0o222n) === 0n) throw new Refused("no-permission", `${quotePath(path)} is read-only.`);
  accessSync(parent.pathTo(name), W_OK);
  return old;
}

/** Closes the descriptor. */
function writeAll(descriptor: number, bytes: Buffer, old: BigIntStats | undefined, path: string): void {
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
    if (old) {
      keepOwner(descriptor, old, path);
      fchmodSync(descriptor, Number(old.mode & 0o777n));
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function keepOwner(descriptor: number, old: BigIntStats, path: string): void {
  const made = fstatSync(descriptor, { bigint: true });
  if (made.uid === old.uid && made.gid === old.gid) return;
  try {
    fchownSync(descriptor, Number(old.uid), Number(old.gid));
  } catch {
    throw new Refused(
      "no-permission",
      `${quotePath(path)} belongs to another user or group, which the write could not preserve.`,
    );
  }
}

/** Never throws, so that the first error is the one reported. */
function removeIfThere(temporary: string): void {
  try {
    unlinkSync(temporary);
  } catch {
    // Another process removed or replaced it, or the disk fails: `sweepTemporary` will try again.
  }
}

function isStillInside(parent: PinnedPath, boundary: Boundary): boolean {
  try {
    const where = parent.currentPath();
    return where !== undefined && findSide(where, boundary) === "inside";
  } catch {
    return false;
  }
}

/** The file is whole either way; without this, a power failure may bring back the old one. */
function syncDirectory(parent: PinnedPath): void {
  try {
    const descriptor = openSync(parent.pathTo("."), O_RDONLY | O_DIRECTORY);
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The directory cannot be opened or the file system does not support it. The write itself is done.
  }
}

/** Removes what a killed write to `path` left, and returns whether there was any. Touches nothing outside. */
export function sweepTemporary(
  path: string,
  { temporaryName, ...confinement }: Omit<WriteOptions, "bytesMax">,
): boolean {
  const swept = catchRefusal(path, () => {
    requirePath(path);
    fileNameOf(path);
    using nearest = pinNearestDirectory(path.slice(0, path.lastIndexOf("/") + 1), confinement);
    if (nearest.missing.length > 0) return false;
    const temporary = nearest.directory.pathTo(temporaryName);
    if (!lstatSync(temporary, { throwIfNoEntry: false })?.isFile()) return false;
    unlinkSync(temporary);
    return true;
  });
  return swept === true;
}
