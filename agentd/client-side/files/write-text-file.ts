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
import { type Boundary, sideOf } from "./boundary.ts";
import type { Held } from "./held.ts";
import { hold } from "./hold.ts";
import { type Confinement, requireInside, requirePath } from "./hold-inside.ts";
import { holdParent, nameIn } from "./hold-parent.ts";
import { tooBig } from "./read-text-file.ts";
import { answered, Refused, type RefusedAnswer, shown } from "./refusal.ts";

export interface WriteOptions extends Boundary {
  /** A plain name that no other write to the directory has; `sweepTemporary` takes it away after a kill -9. */
  readonly temporaryName: string;
  /** UTF-8. */
  readonly bytesMax: number;
}

export type WriteAnswer =
  | {
      readonly ok: true;
      readonly bytes: number;
      /**
       * Somebody with the right to do so has moved the directory out of the session's between the last look and the
       * rename, so the file may have been written outside: to be logged.
       */
      readonly moved?: true;
    }
  | RefusedAnswer;

/**
 * Makes the file, and the directories that it lacks, or takes the place of what is there: a new file under the old name,
 * with its permissions (without setuid, setgid and sticky bits), owner and group, or a refusal. Directories of the path
 * may be links, which are judged by where they end; the file's own name may not: the link would be lost. Another hard
 * link to the old file keeps the old text. Content with half a surrogate pair is refused: UTF-8 has nothing for it. With
 * any refusal the old file is as it was and the temporary one is gone; directories that were made stay. Throws nothing
 * that the file system could be the cause of; waits for the disk alone.
 */
export function writeTextFile(path: string, content: string, options: WriteOptions): WriteAnswer {
  return writeTextFileWith(hold, path, content, options);
}

export function writeTextFileWith(
  way: Confinement["hold"],
  path: string,
  content: string,
  { temporaryName, bytesMax, ...boundary }: WriteOptions,
): WriteAnswer {
  return answered(path, () => {
    requirePath(path);
    const name = nameIn(path);
    const bytes = encoded(content, path, bytesMax);
    using parent = holdParent(path, { hold: way, ...boundary });
    const old = lookAt(parent, name, path, boundary);
    const temporary = parent.at(temporaryName);
    const descriptor = openSync(temporary, newFile, old ? 0o600 : 0o666);
    try {
      writeAll(descriptor, bytes, old, path);
      lookAt(parent, name, path, boundary);
      renameSync(temporary, parent.at(name));
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

function encoded(content: string, path: string, bytesMax: number): Buffer {
  if (/\p{Surrogate}/u.test(content)) {
    throw new Refused(
      "not-text",
      `The text for ${shown(path)} has half a surrogate pair in it, which UTF-8 cannot say.`,
    );
  }
  if (Buffer.byteLength(content) > bytesMax) throw tooBig(path, bytesMax);
  return Buffer.from(content);
}

/** What the name is now; undefined: nothing. Throws `Refused` for what may not be written over, or is not inside any more. */
function lookAt(parent: Held, name: string, path: string, boundary: Boundary): BigIntStats | undefined {
  const old = lstatSync(parent.at(name), { bigint: true, throwIfNoEntry: false });
  requireInside(parent, path, boundary, { names: [name], file: old });
  if (old === undefined) return undefined;
  if (old.isSymbolicLink())
    throw new Refused("link", `${shown(path)} is a link; write to the file that it leads to, by its own name.`);
  if (old.isDirectory()) throw new Refused("directory", `${shown(path)} is a directory.`);
  if (!old.isFile()) throw new Refused("not-a-file", `${shown(path)} is not an ordinary file.`);
  // The rename would not ask for either: the directory's permissions are enough for it.
  if ((old.mode & 0o222n) === 0n) throw new Refused("no-permission", `${shown(path)} is read-only.`);
  accessSync(parent.at(name), W_OK);
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
      `${shown(path)} is of another user or group, and would not be any more after the write.`,
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

function isStillInside(parent: Held, boundary: Boundary): boolean {
  try {
    const where = parent.where();
    return where !== undefined && sideOf(where, boundary) === "inside";
  } catch {
    return false;
  }
}

/** The file is whole either way; without this, a power cut may bring back the old one. */
function syncDirectory(parent: Held): void {
  try {
    const descriptor = openSync(parent.at("."), O_RDONLY | O_DIRECTORY);
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // A directory that may not be listed, or a file system without this: the write is done and is not taken back.
  }
}
