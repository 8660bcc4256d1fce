// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds users who could replace a file: all who may write one of the directories that lead to it.
import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { attempt } from "./attempt.ts";

export interface Owner {
  readonly uid: number;
  /** The user's own group, which may write by default on many systems. Default: the group of this process. */
  readonly gid?: number | undefined;
}

/**
 * Returns the reason why somebody other than this user and root could replace the file at the path, or undefined.
 * Checks each directory on the way, including the way of symbolic links, down to the first that does not exist. A
 * sticky directory is safe, as only the owner of an entry can replace it there.
 */
export function findReplacementRisk(path: string, owner: Owner): string | undefined {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  let at = "/";
  for (let links = 0; ;) {
    const there = statOf(at);
    if (!there?.isDirectory()) return undefined;
    const reason = findDirectoryRisk(there, owner);
    if (reason !== undefined) return `${at} ${reason}`;
    const name = names.shift();
    if (name === undefined) return undefined;
    const next = name === ".." ? dirname(at) : join(at, name);
    const link = statOf(next)?.isSymbolicLink() === true ? attempt(() => readlinkSync(next)) : undefined;
    if (link === undefined) {
      at = next;
      continue;
    }
    if ((links += 1) > linksMax) return undefined;
    if (!isTrusted(statOf(next), owner)) return `${next} is a link that belongs to another user`;
    if (isAbsolute(link)) at = "/";
    names.unshift(...link.split("/").filter((each) => each !== "" && each !== "."));
  }
}

/** The limit of Linux. */
const linksMax = 40;

function findDirectoryRisk(directory: Stats, owner: Owner): string | undefined {
  if (!isTrusted(directory, owner)) return `belongs to user ${directory.uid}, who could replace it`;
  const { mode, gid } = directory;
  if ((mode & 0o1000) !== 0) return undefined;
  if ((mode & 0o002) !== 0) return "is a directory where everybody can replace it; close it with: chmod o-w";
  const own = owner.gid ?? process.getgid?.();
  if ((mode & 0o020) === 0 || gid === 0 || gid === own) return undefined;
  return `is a directory where the group ${gid} can replace it; close it with: chmod g-w`;
}

function isTrusted(stat: Stats | undefined, { uid }: Owner): boolean {
  return stat === undefined || stat.uid === uid || stat.uid === 0;
}

function statOf(path: string): Stats | undefined {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }));
}
