// SPDX-License-Identifier: MIT OR Apache-2.0
// The version, from the package that this file is part of, wherever it was built to.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export function packageVersion(): string {
  for (let directory = dirname(fileURLToPath(import.meta.url)); ; directory = dirname(directory)) {
    const file = join(directory, "package.json");
    if (existsSync(file)) return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
    if (directory === dirname(directory)) throw new Error("no package.json above this program");
  }
}
