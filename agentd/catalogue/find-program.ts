// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks before a start whether a program exists and can be executed, since a failed spawn says far less.
import { existsSync, type Stats, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { findOnPath, interpreterWords, isExecutable, isProgram, searchDirectories } from "../../files/find-on-path.ts";
import { ownFileGoneMessage } from "../own-file-gone.ts";

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

/** Checks an agent's program and, if the agent comes with agentd, the file that the program runs. */
export function findAgent(
  { command, ownFile }: { readonly command: readonly [string, ...string[]]; readonly ownFile?: string },
  searchPath: string | undefined,
): FoundProgram {
  if (ownFile !== undefined && !existsSync(ownFile)) return { status: "missing", message: ownFileGoneMessage(ownFile) };
  return findProgram(command[0], searchPath);
}

/** The message with the searched PATH, for a request about one program. */
export function notFoundMessage({ message, searched }: Extract<FoundProgram, { message: string }>): string {
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

function checkStartable(file: string, searchPath: string | undefined): FoundProgram {
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
  const lacking = findMissingInterpreter(file, searchPath);
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
): { readonly what: string; readonly isSearched: boolean } | undefined {
  const [interpreter, ...rest] = interpreterWords(file);
  if (interpreter === undefined || !isAbsolute(interpreter)) return undefined;
  if (!isProgram(interpreter)) return { what: `${interpreter}, which does not exist`, isSearched: false };
  if (!interpreter.endsWith("/env")) return undefined;
  const name = rest.find((word) => !word.startsWith("-") && !/^\w+=/u.test(word));
  if (name === undefined || name.includes("/")) return undefined;
  if (findOnPath(name, searchPath) !== undefined) return undefined;
  return { what: `${name}, which was not found ${onPath}`, isSearched: true };
}

function quote(program: string): string {
  return JSON.stringify(program.slice(0, 200));
}
