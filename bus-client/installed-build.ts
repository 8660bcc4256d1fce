// SPDX-License-Identifier: MIT OR Apache-2.0

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Build } from "./build.ts";

/** Written by the build, beside what it has made. */
const buildFile = "build-id";

/**
 * What is installed now where a module comes from, wherever it was built to: read at its program's start this is what
 * runs, and read later what has taken its place. Undefined where the package is gone.
 */
export function installedBuild(moduleUrl: string): Build | undefined {
  let build: string | undefined;
  for (let directory = dirname(fileURLToPath(moduleUrl)); ; directory = dirname(directory)) {
    build ??= textIn(join(directory, buildFile))?.trim();
    const manifest = textIn(join(directory, "package.json"));
    if (manifest !== undefined) {
      const { version } = JSON.parse(manifest) as { readonly version: string };
      return { version, build };
    }
    if (directory === dirname(directory)) return undefined;
  }
}

/** The same for a program that starts: without its package it cannot say what it is. */
export function ownBuild(moduleUrl: string): Build {
  const build = installedBuild(moduleUrl);
  if (build === undefined) throw new Error("no package.json above this program");
  return build;
}

function textIn(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
