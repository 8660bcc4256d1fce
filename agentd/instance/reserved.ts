// SPDX-License-Identifier: MIT OR Apache-2.0
// The places that no session reads, writes or starts a command in, whatever the roots: whoever writes there answers in
// a person's name. Places are looked up anew at each question, since links and files may change while agentd runs.
import { type BigIntStats, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, isAbsolute } from "node:path";
import { embeddedSocketPath, nodeConfigFiles, type Surroundings } from "../../bus-client/index.ts";
import type { InstancePaths } from "./paths.ts";
import { stateDirectoryOf } from "../../files/state-directory.ts";

export interface ReservedPlaces {
  /** With everything in them. */
  readonly directories: readonly string[];
  /** Directories within those; what is below them is not reserved. */
  readonly open: readonly string[];
  /** Files, which need not exist; they are reserved where their links lead. */
  readonly files: readonly string[];
}

export type FileIdentity = Pick<BigIntStats, "dev" | "ino" | "nlink">;

export class Reserved {
  readonly #places: ReservedPlaces;
  /** Of the directories as they were at the start: one that is moved stays reserved. */
  readonly #atStart: readonly Anchor[];

  constructor(places: ReservedPlaces) {
    this.#places = places;
    this.#atStart = places.directories.flatMap(anchorOf).filter(({ missing }) => missing.length === 0);
  }

  /**
   * Whether the path is reserved. It must be absolute and without links; its last names need not exist. `file` is what
   * stands there, where something does: a file is reserved under each of its names.
   */
  includes(path: string | Buffer, file?: FileIdentity): boolean {
    const { directories, open, files } = this.#places;
    const steps = resolveSteps(path);
    const depthOf = (anchors: readonly Anchor[]): number => Math.max(-1, ...anchors.map((each) => depth(steps, each)));
    const kept = depthOf([...directories, ...files].flatMap(anchorOf).concat(this.#atStart));
    const opened = kept < 0 ? -1 : depthOf(open.flatMap(anchorOf));
    // The nearest directory decides, and an open one itself is still reserved.
    const isKept = kept >= 0 && (opened < kept || opened === steps.names.length);
    return isKept || (file !== undefined && file.nlink > 1n && this.#hasLinkTo(file));
  }

  /** Whether one of the directories' files is this one, under another name. */
  #hasLinkTo({ dev, ino }: FileIdentity): boolean {
    const { directories, open } = this.#places;
    return directories.some((directory) =>
      filesIn(directory, open).some((path) => {
        const there = statOf(path);
        return there !== undefined && there.ino === ino && there.dev === dev;
      }),
    );
  }
}

/** Where a place is, all links followed: itself, or the last directory on the way to it, and the names missing below. */
interface Anchor {
  readonly identity: string;
  readonly missing: readonly string[];
}

/** One, or none where the way to it is a circle of links: then agentd cannot use it either. */
function anchorOf(path: string): Anchor[] {
  return anchorAfter(path, linksMax);
}

function anchorAfter(path: string, linksLeft: number): Anchor[] {
  const there = statOf(path);
  if (there !== undefined) return [{ identity: identityOf(there), missing: [] }];
  const target = linkAt(path);
  if (target === undefined) {
    const name = foldCase(basename(path));
    return anchorAfter(dirname(path), linksLeft).map((above) => ({ ...above, missing: [...above.missing, name] }));
  }
  // It leads to what does not exist, and what is written through it would be made there.
  return linksLeft === 0 ? [] : anchorAfter(resolve(realDirectoryOf(path), target), linksLeft - 1);
}

/** As many as Linux follows. */
const linksMax = 40;

function linkAt(path: string): string | undefined {
  try {
    // A link is rare, and an error costs more than this look.
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

function realDirectoryOf(path: string): string {
  try {
    return realpathSync.native(dirname(path));
  } catch {
    return dirname(path);
  }
}

interface Steps {
  readonly names: readonly string[];
  /** `identities[n]`: of the directory or file that the first n names lead to; shorter where names do not exist. */
  readonly identities: readonly string[];
}

function resolveSteps(path: string | Buffer): Steps {
  // One character a byte: a name need not be UTF-8.
  const names = Buffer.from(path).toString("latin1").split("/").filter(Boolean);
  const identities: string[] = [];
  for (let count = 0; count <= names.length; count += 1) {
    const there = statOf(Buffer.from(`/${names.slice(0, count).join("/")}`, "latin1"));
    if (there === undefined) break;
    identities.push(identityOf(there));
  }
  return { names: names.map((name) => Buffer.from(name, "latin1").toString()), identities };
}

/** How many names lead to the anchor's place; -1 where it is not on the way. */
function depth({ names, identities }: Steps, { identity, missing }: Anchor): number {
  for (let count = identities.length - 1; count >= 0; count -= 1) {
    if (identities[count] !== identity) continue;
    const isThere = missing.every((name, index) => foldCase(names[count + index] ?? "") === name);
    if (isThere) return count + missing.length;
  }
  return -1;
}

/** What may be the same name where the file system does not tell letters apart; of existing files the inode decides. */
function foldCase(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\p{DI}/gu, "")
    .toUpperCase()
    .toLowerCase();
}

/** Of a directory as agentd and notifyd make them: its files, and those of the directories in it that are not open. */
function filesIn(directory: string, open: readonly string[], levels = 2): readonly string[] {
  if (levels === 0 || open.includes(directory)) return [];
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const path = join(directory, entry.name);
      return entry.isDirectory() ? filesIn(path, open, levels - 1) : [path];
    });
  } catch {
    return [];
  }
}

function statOf(path: string | Buffer): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function identityOf({ dev, ino }: FileIdentity): string {
  return `${dev}:${ino}`;
}

/** What is reserved on this machine: whatever decides for people, by whichever program of ours it is read. */
export function reservedPlaces(
  { stateDirectory, workspacesDirectory, configFile }: InstancePaths,
  surroundings: Surroundings,
): ReservedPlaces {
  const socketDirectory = dirname(embeddedSocketPath(surroundings));
  // Where notifyd keeps questions and answers, if it is started with the same environment.
  const notifydDirectory = stateDirectoryOf("notifyd", surroundings.env, surroundings.home);
  return {
    directories: [stateDirectory, socketDirectory, ...(notifydDirectory === undefined ? [] : [notifydDirectory])],
    open: [workspacesDirectory],
    files: [configFile, ...nodeConfigFiles(surroundings).filter((file) => isAbsolute(file))],
  };
}
