// SPDX-License-Identifier: MIT OR Apache-2.0
// Builds dist/: the compiled tree and one bundle per program. Builds in a temporary directory and renames it at the
// end, so that a program that starts meanwhile finds either the old build or the new one.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildId } from "./build-id.ts";
import { bundlePrograms, programs } from "./bundle.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const aside = mkdtempSync(join(root, ".dist-"));
/** Everything that the build depends on, for the build id. */
const sources =
  "agentd agent-client acp-client acp-face bus-client display files json mix mixos-mcp notifyd migrations scripts package.json package-lock.json tsconfig.json tsconfig.build.json".split(
    " ",
  );

try {
  compile();
  writeFileSync(join(aside, "build-id"), `${buildId(root, sources)}\n`);
  cpSync(join(root, "migrations"), join(aside, "migrations"), { recursive: true });
  await bundlePrograms(programs, aside);
  chmodSync(aside, 0o755);
  putInPlace();
} finally {
  rmSync(aside, { recursive: true, force: true });
}

function compile(): void {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const args = [compiler, "-p", "tsconfig.build.json", "--outDir", aside];
  execFileSync(process.execPath, args, { cwd: root, stdio: "inherit" });
}

function putInPlace(): void {
  const old = `${aside}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(aside, dist);
  rmSync(old, { recursive: true, force: true });
}
