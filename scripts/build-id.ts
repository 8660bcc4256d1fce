// SPDX-License-Identifier: MIT OR Apache-2.0
// The build id distinguishes builds of one version. The same source gives the same id, wherever and whenever it is built.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

const digits = 12;

/** Hashes all files in `places`, which are directories or single files. */
export function buildId(root: string, places: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of places.flatMap((place) => filesIn(join(root, place))).sort()) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex").slice(0, digits);
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile() && !/\.test\.ts$|\/testing\//.test(file));
}
