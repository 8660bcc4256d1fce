// SPDX-License-Identifier: MIT OR Apache-2.0

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { upwards } from "../files/upwards.ts";
import type { Build } from "./build.ts";

/** Written by the build, beside what it has made. */
const buildFile = "build-id";

/**
 * What is installed now where a module comes from, wherever it was built to: read at its program's start this is what
 * runs, and read later what has taken its place. Undefined where the package is gone.
 */
export function installedBuild(moduleUrl: string): Build | undefined {
  let build: string | undefined;
  for (const directory of upwards(dirname(fileURLToPath(moduleUrl)))) {
    build ??= textIn(join(directory, buildFile))?.trim();
    const version = versionIn(textIn(join(directory, "package.json")));
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

/** Undefined for a manifest of another package, around the place where ours was, and for one that is half written. */
function versionIn(manifest: string | undefined): string | undefined {
  if (manifest === undefined) return undefined;
  try {
    const { name, version } = JSON.parse(manifest) as { readonly name?: unknown; readonly version?: unknown };
    return name === packageName && typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}

const packageName = "agentd";

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
