// SPDX-License-Identifier: MIT OR Apache-2.0
// Which build of this package a program is, and the versions of installed packages, read from their `package.json`.
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { upwards } from "./upwards.ts";

/** Which program it is, for people and for comparison: two builds of one version differ in `build`. */
export interface Build {
  readonly version: string;
  /** Of the built package; what runs from its source has none. */
  readonly build?: string | undefined;
}

/** What runs from its source has no build, and is compared by its version alone. */
export function isSameBuild(one: Build, other: Build): boolean {
  if (one.version !== other.version) return false;
  return one.build === undefined || other.build === undefined || one.build === other.build;
}

export function buildWords({ version, build }: Build): string {
  return build === undefined ? version : `${version} (build ${build})`;
}

/**
 * What is installed now where a module comes from, wherever it was built to: read at its program's start this is what
 * runs, and read later what has taken its place. Undefined where the package is gone.
 */
export function installedBuild(moduleUrl: string): Build | undefined {
  let build: string | undefined;
  for (const directory of upwards(dirname(fileURLToPath(moduleUrl)))) {
    build ??= textIn(join(directory, buildFile))?.trim();
    const version = versionIn(directory, packageName);
    if (version !== undefined) return { version, build };
  }
  return undefined;
}

/** The same for a program that starts: without its package it cannot say what it is. */
export function ownBuild(moduleUrl: string): Build {
  const build = installedBuild(moduleUrl);
  if (build === undefined) throw new Error("no package.json above this program");
  return build;
}

const packageName = "agentd";

/** Written by the build, beside what it has made. */
const buildFile = "build-id";

/**
 * The version of the npm package `name` that a file belongs to, links followed: npm links a program into a bin directory.
 * Undefined where the file belongs to no such package, or is gone.
 */
export function packageVersion(file: string, name: string): string | undefined {
  let real: string;
  try {
    real = realpathSync(file);
  } catch {
    return undefined;
  }
  for (const directory of upwards(dirname(real))) {
    const version = versionIn(directory, name);
    if (version !== undefined) return version;
  }
  return undefined;
}

/** Undefined where the manifest is another package's, is missing, or is half written. */
function versionIn(directory: string, wanted: string): string | undefined {
  const manifest = textIn(join(directory, "package.json"));
  if (manifest === undefined) return undefined;
  try {
    const { name, version } = JSON.parse(manifest) as { readonly name?: unknown; readonly version?: unknown };
    return name === wanted && typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
