// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks before a start whether a program exists and can be executed, since a failed spawn says far less.
import { existsSync, type Stats, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { findOnPath, interpreterWords, isExecutable, isProgram, searchDirectories } from "../../files/find-on-path.ts";
import { type InstalledPackage, packageOf } from "../../files/installed-build.ts";
import { readHead } from "../../files/read-up-to.ts";
import { upwards } from "../../files/upwards.ts";
import { ownFileGoneMessage } from "../own-file-gone.ts";
import type { AgentDefinition, NativeProgram } from "./agents/definition.ts";
import { installedModules, installedNode } from "./installed-agents.ts";
import { chooseNode, type ChosenNode } from "./node-programs.ts";
import type { ProgramPlaces } from "./program-places.ts";
import { trustedSearchPath } from "./search-path.ts";

export type FoundProgram =
  | {
      readonly status: "installed";
      /** Absolute. Start this file, so that the checked one runs. */
      readonly file: string;
    }
  | {
      readonly status: "missing" | "not_executable" | "no_interpreter";
      /** For people: what is wrong. */
      readonly message: string;
      /** The PATH that was searched. Kept apart, since it is long and the same for every program of a list. */
      readonly searched?: string;
    };

export type NotFound = Exclude<FoundProgram, { readonly status: "installed" }>;

export interface FoundAgent {
  readonly status: "installed";
  readonly file: string;
  /** With its arguments, and with the Node that runs it if the agent is a Node program of a known package. */
  readonly command: readonly [string, ...string[]];
  /** Of an agent that is published as an npm package: on PATH, among npm's global packages, or installed by agentd. */
  readonly from?: ProgramSource;
  readonly version?: string;
  readonly nodeTooOld?: ChosenNode["tooOld"];
}

export type ProgramSource = "path" | "npm" | "agentd";

/**
 * Finds an agent's program and, if the agent comes with agentd, checks the file that the program runs. Looks in no
 * directory of a project: `sessionDirectories` are those of the session for which the agent is to be started.
 */
export function findAgent(
  definition: AgentDefinition,
  places: ProgramPlaces,
  sessionDirectories: readonly string[] = [],
): FoundAgent | NotFound {
  const { command, ownFile, npmPackage } = definition;
  if (ownFile !== undefined && !existsSync(ownFile)) return { status: "missing", message: ownFileGoneMessage(ownFile) };
  const trusted = (path: string | undefined) => trustedSearchPath(path, { home: places.home, sessionDirectories });
  if (npmPackage !== undefined) return findPublished(definition, npmPackage, places, trusted);
  const found = findProgram(command[0], trusted(places.searchPath));
  return found.status === "installed" ? { ...found, command: [found.file, ...command.slice(1)] } : found;
}

/** On PATH, then among npm's global packages, then among the agents that agentd has installed. Never by npx. */
function findPublished(
  { name, command, npmVersion = "", native }: AgentDefinition,
  npmPackage: string,
  places: ProgramPlaces,
  trusted: (path: string | undefined) => string,
): FoundAgent | NotFound {
  const [program, ...args] = command;
  const searchPath = trusted(places.searchPath);
  const modules = installedModules(places.agents, name, npmVersion);
  const own = modules === undefined ? [] : [[join(modules, ".bin"), "agentd"] as const];
  const directories: (readonly [string, ProgramSource])[] = [
    ...searchDirectories(searchPath).map((directory) => [directory, "path"] as const),
    ...searchDirectories(trusted(places.npmBin())).map((directory) => [directory, "npm"] as const),
    ...own,
  ];
  let inTheWay: NotFound | undefined;
  for (const [directory, from] of directories) {
    const { found, of } = programOfPackage(join(directory, program), { npmPackage, native });
    if (found.status === "installed") {
      const nodes = [findOnPath("node", searchPath), join(directory, "node"), places.nodeProgram];
      const run = nodeCommand(found.file, [...nodes, installedNode(places.agents)], of?.node);
      return {
        ...found,
        command: [...(run?.words ?? [found.file]), ...args] as [string, ...string[]],
        from,
        ...(of === undefined ? {} : { version: of.version }),
        ...(run?.node.tooOld === undefined ? {} : { nodeTooOld: run.node.tooOld }),
      };
    }
    if (found.status !== "missing") inTheWay ??= found;
  }
  if (inTheWay !== undefined) return inTheWay;
  const searched = directories.map(([directory]) => directory).join(delimiter);
  return { status: "missing", message: `${program} was not found`, searched };
}

/** Checks a program that npm has linked into a bin directory. A node that it needs is not looked for. */
export function programOfPackage(
  link: string,
  { npmPackage = "", native }: Pick<AgentDefinition, "npmPackage" | "native">,
): { readonly found: FoundProgram; readonly of?: InstalledPackage | undefined } {
  const linked = checkStartable(link, undefined, ["node"]);
  if (linked.status !== "installed") return { found: linked };
  const of = packageOf(linked.file, npmPackage);
  return { found: of === undefined ? linked : nativeProgram(linked.file, of, native), of };
}

/**
 * The program itself where the package has a text in its place that says that its install script was not run, as npm runs
 * none by default: the script would copy the program from the package for this platform.
 */
function nativeProgram(file: string, { directory }: InstalledPackage, native: NativeProgram | undefined): FoundProgram {
  if (native === undefined || isExecutableFormat(file)) return { status: "installed", file };
  for (const above of upwards(dirname(directory))) {
    for (const name of native.packages()) {
      // The one of the agent's package, of the packages beside it, or of those above.
      const inside = [join(directory, "node_modules"), above].map((modules) => join(modules, name, native.file));
      const found = inside.find(isProgram);
      if (found !== undefined) return { status: "installed", file: found };
    }
  }
  const message = `${file} is incomplete: the package of its program for this platform is missing`;
  return { status: "not_executable", message };
}

/** Whether it is a script or a program of Linux or macOS, by its first bytes. */
function isExecutableFormat(file: string): boolean {
  const head = readHead(file, 4)?.toString("latin1") ?? "";
  return head.startsWith("#!") || ["\x7fELF", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"].includes(head);
}

/** How a script that names node as its interpreter is run by one of the given Nodes; undefined for other programs. */
function nodeCommand(
  file: string,
  nodes: readonly (string | undefined)[],
  range: string | undefined,
): { readonly words: readonly string[]; readonly node: ChosenNode } | undefined {
  const words = interpreterWords(file);
  if (words[0]?.endsWith("/env") !== true) return undefined;
  const [name, ...flags] = words[1] === "-S" ? words.slice(2) : words.slice(1);
  if (name !== "node") return undefined;
  const node = chooseNode(nodes, range);
  return node === undefined ? undefined : { words: [node.file, ...flags, file], node };
}

/** The message with the searched PATH, for a request about one program. */
export function notFoundMessage({ message, searched }: NotFound): string {
  return searched === undefined ? message : `${message} (${searched})`;
}

/**
 * Looks a bare name up on `searchPath`; checks an absolute path as it is. Refuses a relative path with a slash and skips
 * empty and relative parts of `searchPath`: both depend on the working directory, where a project could put a program of
 * its own.
 */
export function findProgram(program: string, searchPath: string | undefined): FoundProgram {
  if (isAbsolute(program)) return checkStartable(program, searchPath);
  if (program === "" || program.includes("/")) {
    return { status: "missing", message: `${quote(program)} is neither a bare name nor an absolute path` };
  }
  let inTheWay: FoundProgram | undefined;
  for (const directory of searchDirectories(searchPath)) {
    const found = checkStartable(join(directory, program), searchPath);
    if (found.status === "installed") return found;
    if (found.status !== "missing") inTheWay ??= found;
  }
  return inTheWay ?? { status: "missing", message: `${program} was not found ${onPath}`, ...searchDetail(searchPath) };
}

const onPath = "on agentd's PATH";

function searchDetail(searchPath: string | undefined): { readonly searched: string } {
  return { searched: searchPath ?? "unset" };
}

/** `supplied`: interpreters that need not be on the PATH, as the caller runs the script by one of its own. */
function checkStartable(file: string, searchPath: string | undefined, supplied: readonly string[] = []): FoundProgram {
  let found: Stats;
  try {
    found = statSync(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EACCES") return { status: "not_executable", message: `${file} cannot be accessed` };
    return { status: "missing", message: `${file} does not exist` };
  }
  if (found.isDirectory()) return { status: "not_executable", message: `${file} is a directory` };
  if (!found.isFile()) return { status: "not_executable", message: `${file} is not a program` };
  if (!isExecutable(file)) {
    return { status: "not_executable", message: `${file} is not executable; run: chmod +x` };
  }
  const lacking = findMissingInterpreter(file, searchPath, supplied);
  if (lacking === undefined) return { status: "installed", file };
  const { what, isSearched } = lacking;
  const message = `${file} needs ${what}`;
  return { status: "no_interpreter", message, ...(isSearched ? searchDetail(searchPath) : {}) };
}

/**
 * Finds the missing interpreter of a script, which would exit with 127 and no useful message, most often since a service
 * manager's PATH has no node. Looks `#!/usr/bin/env name` up as env does.
 */
function findMissingInterpreter(
  file: string,
  searchPath: string | undefined,
  supplied: readonly string[],
): { readonly what: string; readonly isSearched: boolean } | undefined {
  const [interpreter, ...rest] = interpreterWords(file);
  if (interpreter === undefined || !isAbsolute(interpreter)) return undefined;
  if (!isProgram(interpreter)) return { what: `${interpreter}, which does not exist`, isSearched: false };
  if (!interpreter.endsWith("/env")) return undefined;
  const name = rest.find((word) => !word.startsWith("-") && !/^\w+=/u.test(word));
  if (name === undefined || name.includes("/")) return undefined;
  if (supplied.includes(name) || findOnPath(name, searchPath) !== undefined) return undefined;
  return { what: `${name}, which was not found ${onPath}`, isSearched: true };
}

function quote(program: string): string {
  return JSON.stringify(program.slice(0, 200));
}
