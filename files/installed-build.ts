// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads which build of this package is installed, and the versions of npm packages, from their `package.json`.
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { attempt } from "./attempt.ts";
import { readRegularFile } from "./read-regular-file.ts";
import { upwards } from "./upwards.ts";

/** Identifies a program for people and for comparison. Two builds of one version differ in `build`. */
export interface Build {
  readonly version: string;
  /** Undefined when run from source. */
  readonly build?: string | undefined;
}

/** Compares only the versions if one of the two runs from source and has no build. */
export function isSameBuild(one: Build, other: Build): boolean {
  if (one.version !== other.version) return false;
  return one.build === undefined || other.build === undefined || one.build === other.build;
}

export function buildWords({ version, build }: Build): string {
  return build === undefined ? version : `${version} (build ${build})`;
}

/**
 * Reads which build is installed where a module comes from. At the start of a program that is the running build, later
 * it is the one that may have replaced it. Undefined if the package is gone.
 */
export function installedBuild(moduleUrl: string): Build | undefined {
  let build: string | undefined;
  for (const directory of upwards(dirname(fileURLToPath(moduleUrl)))) {
    build ??= attempt(() => readRegularFile(join(directory, buildFile), manifestBytesMax).toString("utf8").trim());
    const version = versionIn(directory, packageName);
    if (version !== undefined) return { version, build };
  }
  return undefined;
}

/** Like `installedBuild`, for a program that is starting. Throws if there is no package. */
export function ownBuild(moduleUrl: string): Build {
  const build = installedBuild(moduleUrl);
  if (build === undefined) throw new Error("no package.json above this program");
  return build;
}

const packageName = "agentd";

/** Written by the build script beside its output. */
const buildFile = "build-id";

export interface InstalledPackage {
  /** Without links. */
  readonly directory: string;
  readonly version: string;
  /** The range of Node versions that the package needs, as its `engines` has it. */
  readonly node?: string;
}

/**
 * Finds the npm package `name` that a file belongs to. Follows links, as npm links programs into a bin directory.
 * Undefined if the file does not belong to that package or is gone.
 */
export function packageOf(file: string, name: string): InstalledPackage | undefined {
  const real = attempt(() => realpathSync(file));
  if (real === undefined) return undefined;
  for (const directory of upwards(dirname(real))) {
    const found = packageIn(directory, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function versionIn(directory: string, wanted: string): string | undefined {
  return packageIn(directory, wanted)?.version;
}

const manifestBytesMax = 1024 * 1024;

/** Undefined if the manifest is another package's, missing or incomplete. */
function packageIn(directory: string, wanted: string): InstalledPackage | undefined {
  return attempt(() => {
    const { name, version, engines } = JSON.parse(
      readRegularFile(join(directory, "package.json"), manifestBytesMax).toString("utf8"),
    ) as {
      readonly name?: unknown;
      readonly version?: unknown;
      readonly engines?: { readonly node?: unknown } | null;
    };
    if (name !== wanted || typeof version !== "string") return undefined;
    const node = engines?.node;
    return { directory, version, ...(typeof node === "string" ? { node } : {}) };
  });
}
