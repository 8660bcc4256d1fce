// SPDX-License-Identifier: MIT OR Apache-2.0
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Yields an absolute directory and all its parents, the root last. */
export function* upwards(directory: string): Generator<string> {
  for (let at = directory; ; at = dirname(at)) {
    yield at;
    if (at === dirname(at)) return;
  }
}

/** Finds a file of that name in a directory above a module, which runs from source, from the build or from the bundle. */
export function findAbove(moduleUrl: string, name: string): string | undefined {
  return [...upwards(dirname(fileURLToPath(moduleUrl)))].map((directory) => join(directory, name)).find(existsSync);
}
