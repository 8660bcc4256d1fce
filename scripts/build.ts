// SPDX-License-Identifier: MIT OR Apache-2.0
// From source to what users start: the compiled tree, and one bundle for each program whose start is felt.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
cpSync(join(root, "migrations"), join(dist, "migrations"), { recursive: true });
mkdirSync(join(dist, "bin"), { recursive: true });

// The command line is one file of its own: most of what a short command costs is the loading of modules.
await build({
  entryPoints: [join(root, "mix/main.ts")],
  outfile: join(dist, "bin/mix.cjs"),
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  // Needed for brokers on TCP and for `mix bus` alone, and then taken from the package's dependencies.
  external: ["ws"],
  logLevel: "warning",
});
program("mix.cjs");

writeFileSync(join(dist, "bin/agentd.mjs"), '#!/usr/bin/env node\nimport "../agentd/main.js";\n');
program("agentd.mjs");

function program(name: string): void {
  const file = join(dist, "bin", name);
  if (!existsSync(file)) throw new Error(`${file} was not made`);
  chmodSync(file, 0o755);
}
