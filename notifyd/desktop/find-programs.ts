// SPDX-License-Identifier: MIT OR Apache-2.0
import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** The program's file on that PATH, or undefined. Relative directories of a PATH are not looked into. */
export function findOnPath(name: string, path: string | undefined): string | undefined {
  for (const directory of (path ?? "").split(":")) {
    if (!isAbsolute(directory)) continue;
    const file = join(directory, name);
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return file;
    } catch {
      // Not here.
    }
  }
  return undefined;
}
