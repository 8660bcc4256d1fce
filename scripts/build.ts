// SPDX-License-Identifier: MIT OR Apache-2.0
// From source to what users start: the compiled tree, and bundles for the programs, whose start is felt. It is made
// aside and put in place whole, so that a program that starts meanwhile finds the old build or the new one.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildId } from "./build-id.ts";
import { bundleDaemons } from "./bundle-daemons.ts";
import { bundleMcp } from "./bundle-mcp.ts";
import { bundleMix } from "./bundle-mix.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const aside = mkdtempSync(join(root, ".dist-"));
/** All that decides what the programs do. */
const sources =
  "agentd acp-client bus-client display files json mix mixos-mcp notifyd migrations scripts package.json package-lock.json tsconfig.json tsconfig.build.json".split(
    " ",
  );

try {
  compile();
  const build = buildId(root, sources);
  writeFileSync(join(aside, "build-id"), `${build}\n`);
  cpSync(join(root, "migrations"), join(aside, "migrations"), { recursive: true });
  mkdirSync(join(aside, "bin"));
  await bundleMix(join(aside, "bin"), build);
  await bundleMcp(join(aside, "bin"));
  await bundleDaemons(root, join(aside, "bin"));
  for (const daemon of ["agentd", "notifyd"]) chmodSync(join(aside, `bin/${daemon}.mjs`), 0o755);
  chmodSync(aside, 0o755);
  putInPlace();
} finally {
  rmSync(aside, { recursive: true, force: true });
}

function compile(): void {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const result = ["-p", "tsconfig.build.json", "--outDir", aside];
  execFileSync(process.execPath, [compiler, ...result], { cwd: root, stdio: "inherit" });
}

function putInPlace(): void {
  const old = `${aside}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(aside, dist);
  rmSync(old, { recursive: true, force: true });
}
