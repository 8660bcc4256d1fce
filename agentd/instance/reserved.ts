// SPDX-License-Identifier: MIT OR Apache-2.0
// The paths that no session may read, write or start a command in, whatever the roots: a writer there could answer in a
// person's name. Resolved anew at each check, since links and files may change while agentd runs.
import { type BigIntStats, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, isAbsolute } from "node:path";
import { embeddedSocketPath, nodeConfigFiles, type Surroundings } from "../../bus-client/index.ts";
import { attempt } from "../../files/attempt.ts";
import type { InstancePaths } from "./paths.ts";
import { stateDirectoryOf } from "../../files/state-directory.ts";

export interface ReservedPlaces {
  /** Reserved with everything in them. */
  readonly directories: readonly string[];
  /** Directories within those whose contents are not reserved. */
  readonly open: readonly string[];
  /** Files, which need not exist; a link reserves its target. */
  readonly files: readonly string[];
}

export type FileIdentity = Pick<BigIntStats, "dev" | "ino" | "nlink">;

export class Reserved {
  readonly #places: ReservedPlaces;
  /** The directories as they were at the start: a moved one stays reserved. */
  readonly #atStart: readonly Anchor[];

  constructor(places: ReservedPlaces) {
    this.#places = places;
    this.#atStart = places.directories.flatMap(anchorOf).filter(({ missing }) => missing.length === 0);
  }

  /**
   * `path` is a real path whose last components need not exist; `file` is what exists there, since a file is reserved
   * under each of its hard links.
   */
  includes(path: string | Buffer, file?: FileIdentity): boolean {
    const { directories, open, files } = this.#places;
    const steps = resolveSteps(path);
    const depthOf = (anchors: readonly Anchor[]): number => Math.max(-1, ...anchors.map((each) => depth(steps, each)));
    const kept = depthOf([...directories, ...files].flatMap(anchorOf).concat(this.#atStart));
    const opened = kept < 0 ? -1 : depthOf(open.flatMap(anchorOf));
    // The deepest directory decides; an open directory itself is still reserved.
    const isKept = kept >= 0 && (opened < kept || opened === steps.names.length);
    return isKept || (file !== undefined && file.nlink > 1n && this.#hasLinkTo(file));
  }

  /** Whether a file in one of the directories is another hard link to it. */
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

/** A path with all links followed: its deepest existing part, and the components that are missing below. */
interface Anchor {
  readonly identity: string;
  readonly missing: readonly string[];
}

/** One anchor, or none if the path is a loop of links, which agentd cannot use either. */
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
  // A broken link: a write through it would create its target.
  return linksLeft === 0 ? [] : anchorAfter(resolve(realDirectoryOf(path), target), linksLeft - 1);
}

/** The most links that Linux follows. */
const linksMax = 40;

function linkAt(path: string): string | undefined {
  return attempt(() => {
    // Checked first, since links are rare and the error of readlink costs more.
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? readlinkSync(path) : undefined;
  });
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
  /** `identities[n]` is what the first n names lead to; shorter than `names` if some do not exist. */
  readonly identities: readonly string[];
}

function resolveSteps(path: string | Buffer): Steps {
  // latin1 keeps every byte, since a name need not be UTF-8.
  const names = Buffer.from(path).toString("latin1").split("/").filter(Boolean);
  const identities: string[] = [];
  for (let count = 0; count <= names.length; count += 1) {
    const there = statOf(Buffer.from(`/${names.slice(0, count).join("/")}`, "latin1"));
    if (there === undefined) break;
    identities.push(identityOf(there));
  }
  return { names: names.map((name) => Buffer.from(name, "latin1").toString()), identities };
}

/** The number of names that lead to the anchor's path; -1 if the path does not pass it. */
function depth({ names, identities }: Steps, { identity, missing }: Anchor): number {
  for (let count = identities.length - 1; count >= 0; count -= 1) {
    if (identities[count] !== identity) continue;
    const isThere = missing.every((name, index) => foldCase(names[count + index] ?? "") === name);
    if (isThere) return count + missing.length;
  }
  return -1;
}

/** Folds names that a case-insensitive file system may treat as one. For existing files the inode decides. */
function foldCase(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\p{DI}/gu, "")
    .toUpperCase()
    .toLowerCase();
}

/** Lists the files of a directory, two levels deep as agentd and notifyd create them, without the open directories. */
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
  return attempt(() => statSync(path, { bigint: true, throwIfNoEntry: false }));
}

function identityOf({ dev, ino }: FileIdentity): string {
  return `${dev}:${ino}`;
}

/** Every file and directory of this machine that decides for people, whichever of our programs reads it. */
export function reservedPlaces(
  { stateDirectory, workspacesDirectory, configFile, agentsDirectory }: InstancePaths,
  surroundings: Surroundings,
): ReservedPlaces {
  const socketDirectory = dirname(embeddedSocketPath(surroundings));
  // notifyd keeps questions and answers here if it is started with the same environment.
  const notifydDirectory = stateDirectoryOf("notifyd", surroundings.env, surroundings.home);
  return {
    // A writer in the last could replace the agents that agentd starts.
    directories: [
      stateDirectory,
      socketDirectory,
      agentsDirectory,
      ...(notifydDirectory === undefined ? [] : [notifydDirectory]),
    ],
    open: [workspacesDirectory],
    files: [configFile, ...nodeConfigFiles(surroundings).filter((file) => isAbsolute(file))],
  };
}
