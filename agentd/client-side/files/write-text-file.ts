// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes a text file in the session's directories for the session's agent: whole or not at all.
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
import { pinPath } from "./pin-path.ts";
import { type Confinement, requireInside, requirePath } from "./pin-inside.ts";
import { pinParent, fileNameOf } from "./pin-parent.ts";
import { tooBigRefusal } from "./read-text-file.ts";
import { catchRefusal, Refused, type RefusedResult, quotePath } from "./refusal.ts";

export interface WriteOptions extends Boundary {
  /** A plain name that no other write to the directory has; `sweepTemporary` takes it away after a kill -9. */
  readonly temporaryName: string;
  /** UTF-8. */
  readonly bytesMax: number;
}

export type WriteResult =
  | {
      readonly ok: true;
      readonly bytes: number;
      /**
       * Somebody with the right to do so has moved the directory out of the session's between the last look and the
       * rename, so the file may have been written outside: to be logged.
       */
      readonly moved?: true;
    }
  | RefusedResult;

/**
 * Makes the file, and the directories that it lacks, or takes the place of what is there: a new file under the old name,
 * with its permissions (without setuid, setgid and sticky bits), owner and group, or a refusal. Directories of the path
 * may be links, which are judged by where they end; the file's own name may not: the link would be lost. Another hard
 * link to the old file keeps the old text. Content with half a surrogate pair is refused: UTF-8 has nothing for it. With
 * any refusal the old file is as it was and the temporary one is gone; directories that were made stay. Throws nothing
 * that the file system could be the cause of; waits for the disk alone.
 */
export function writeTextFile(path: string, content: string, options: WriteOptions): WriteResult {
  return writeTextFileWith(pinPath, path, content, options);
}

export function writeTextFileWith(
  pin: Confinement["pin"],
  path: string,
  content: string,
  { temporaryName, bytesMax, ...boundary }: WriteOptions,
): WriteResult {
  return catchRefusal(path, () => {
    requirePath(path);
    const name = fileNameOf(path);
    const bytes = encodeText(content, path, bytesMax);
    using parent = pinParent(path, { pin, ...boundary });
    const old = checkTarget(parent, name, path, boundary);
    const temporary = parent.pathTo(temporaryName);
    const descriptor = openSync(temporary, newFile, old ? 0o600 : 0o666);
    try {
      writeAll(descriptor, bytes, old, path);
      checkTarget(parent, name, path, boundary);
      renameSync(temporary, parent.pathTo(name));
    } catch (error) {
      removeIfThere(temporary);
      throw error;
    }
    syncDirectory(parent);
    return { ok: true, bytes: bytes.length, ...(isStillInside(parent, boundary) ? {} : { moved: true }) };
  });
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_DIRECTORY, W_OK } = constants;
const newFile = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

function encodeText(content: string, path: string, bytesMax: number): Buffer {
  if (/\p{Surrogate}/u.test(content)) {
    throw new Refused(
      "not-text",
      `The text for ${quotePath(path)} has half a surrogate pair in it, which UTF-8 cannot say.`,
    );
  }
  if (Buffer.byteLength(content) > bytesMax) throw tooBigRefusal(path, bytesMax);
  return Buffer.from(content);
}

/** What the name is now; undefined: nothing. Throws `Refused` for what may not be written over, or is not inside any more. */
function checkTarget(parent: PinnedPath, name: string, path: string, boundary: Boundary): BigIntStats | undefined {
  const old = lstatSync(parent.pathTo(name), { bigint: true, throwIfNoEntry: false });
  requireInside(parent, path, boundary, { names: [name], file: old });
  if (old === undefined) return undefined;
  if (old.isSymbolicLink())
    throw new Refused("link", `${quotePath(path)} is a link; write to the file that it leads to, by its own name.`);
  if (old.isDirectory()) throw new Refused("directory", `${quotePath(path)} is a directory.`);
  if (!old.isFile()) throw new Refused("not-a-file", `${quotePath(path)} is not an ordinary file.`);
  // The rename would not ask for either: the directory's permissions are enough for it.
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
      `${quotePath(path)} is of another user or group, and would not be any more after the write.`,
    );
  }
}

/** Whatever comes of this, what is refused is refused for the first reason. */
function removeIfThere(temporary: string): void {
  try {
    unlinkSync(temporary);
  } catch {
    // Somebody else has removed or replaced it, or the disk fails: it is left to a sweep.
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

/** The file is whole either way; without this, a power cut may bring back the old one. */
function syncDirectory(parent: PinnedPath): void {
  try {
    const descriptor = openSync(parent.pathTo("."), O_RDONLY | O_DIRECTORY);
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // A directory that may not be listed, or a file system without this: the write is done and is not taken back.
  }
}
