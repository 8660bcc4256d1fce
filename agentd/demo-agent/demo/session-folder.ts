// SPDX-License-Identifier: MIT OR Apache-2.0
// The files of a session: only those in its working directory, links resolved.
import { constants } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";

const fileBytesMax = 64 * 1024;

/** A refused file. The message is for people. */
export class FolderError extends Error {
  override readonly name = "FolderError";
}

export class SessionFolder {
  readonly root: string;

  /** `root` is absolute. */
  constructor(root: string) {
    this.root = root;
  }

  /** Resolves a name within the working directory. The file may be missing, but not its directory. */
  async locate(name: string): Promise<string> {
    const wanted = resolve(this.root, name);
    const root = await realpath(this.root);
    const directory = await realpath(dirname(wanted)).catch(() => undefined);
    if (directory === undefined) throw new FolderError(`there is no directory for ${name}`);
    if (wanted === resolve(this.root) || (directory !== root && !directory.startsWith(root + sep)))
      throw new FolderError(`${name} is not inside the session's working directory`);
    const path = join(directory, basename(wanted));
    const stat = await lstat(path).catch(() => undefined);
    if (stat?.isSymbolicLink() === true) throw new FolderError(`${name} is a link, and links may lead out`);
    if (stat !== undefined && !stat.isFile()) throw new FolderError(`${name} is not a regular file`);
    return path;
  }

  /** Resolves to null if the file is missing. */
  async read(path: string): Promise<string | null> {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(absent);
    if (file === null) return null;
    try {
      const { size } = await file.stat();
      if (size > fileBytesMax) throw new FolderError(`${basename(path)} has ${size} bytes, more than ${fileBytesMax}`);
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  }

  async write(path: string, text: string): Promise<void> {
    if (Buffer.byteLength(text) > fileBytesMax) throw new FolderError(`more than ${fileBytesMax} bytes of text`);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
    const file = await open(path, flags, 0o644);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
  }

  /** Lists the first `max` names, those of directories with a slash, and counts all. */
  async list(max: number): Promise<{ readonly names: string[]; readonly total: number }> {
    const found = await readdir(this.root, { withFileTypes: true });
    found.sort((one, other) => (one.name < other.name ? -1 : 1));
    const names = found.slice(0, max).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    return { names, total: found.length };
  }
}

function absent(error: unknown): null {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
  throw error;
}
