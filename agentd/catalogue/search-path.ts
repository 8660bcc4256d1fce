// SPDX-License-Identifier: MIT OR Apache-2.0
// The directories in which programs are looked up: never a directory of a project.
import { realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { attempt } from "../../files/attempt.ts";
import { findOnPath, searchDirectories } from "../../files/find-on-path.ts";
import { readRegularFile } from "../../files/read-regular-file.ts";
import { isWithin } from "../instance/within.ts";

/**
 * Leaves out of a PATH what a project could decide: empty and relative parts, `node_modules/.bin` directories (which a
 * package script puts there), and what lies in one of the session's directories. A session's directory that contains the
 * home directory is not counted, as all of the user's own programs are in it.
 */
export function trustedSearchPath(
  searchPath: string | undefined,
  { home, sessionDirectories = [] }: { readonly home: string; readonly sessionDirectories?: readonly string[] },
): string {
  const projects = sessionDirectories.filter((directory) => !isWithin(home, directory));
  return searchDirectories(searchPath)
    .filter((directory) => !isOfProject(directory, projects))
    .join(delimiter);
}

function isOfProject(directory: string, projects: readonly string[]): boolean {
  if (/\/node_modules\/\.bin\/*$/u.test(directory)) return true;
  if (projects.length === 0) return false;
  const real = attempt(() => realpathSync.native(directory)) ?? directory;
  return projects.some((project) => isWithin(real, project) || isWithin(directory, project));
}

/**
 * The directory into which npm links global programs: `bin` of npm's prefix, which the user's variables or ~/.npmrc name,
 * or else the directory of the node on the PATH. A project's .npmrc is not read.
 */
export function npmBinDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
  searchPath: string | undefined,
): string {
  // A package script sets variables in lower case, which may come from the project's .npmrc.
  const isPackageScript = environment["npm_lifecycle_event"] !== undefined;
  const prefix =
    environment["NPM_CONFIG_PREFIX"] ||
    (isPackageScript ? undefined : environment["npm_config_prefix"]) ||
    prefixIn(environment["NPM_CONFIG_USERCONFIG"] ?? join(home, ".npmrc"), environment, home);
  if (prefix !== undefined && isAbsolute(prefix)) return join(prefix, "bin");
  const node = findOnPath("node", searchPath) ?? process.execPath;
  return dirname(attempt(() => realpathSync(node)) ?? node);
}

const npmrcBytesMax = 64 * 1024;

/** The last `prefix` of an .npmrc file, with `~/` and `${NAME}` replaced as npm does. */
function prefixIn(
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
): string | undefined {
  const text = attempt(() => readRegularFile(file, npmrcBytesMax).toString("utf8")) ?? "";
  const written = [...text.matchAll(/^\s*prefix\s*=\s*(.*?)\s*$/gmu)].at(-1)?.[1]?.replace(/^(["'])(.*)\1$/u, "$2");
  return written
    ?.replace(/\$\{(\w+)\}/gu, (whole, name: string) => environment[name] ?? whole)
    .replace(/^~(?=\/|$)/u, home);
}
