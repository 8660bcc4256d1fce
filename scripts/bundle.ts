// SPDX-License-Identifier: MIT OR Apache-2.0
// Bundles each program into one file: loading a hundred small files takes several times as long, and an upgrade cannot
// remove a module that a running program has yet to load.
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

const entryPoints = {
  agentd: "agentd/main.ts",
  mix: "mix/main.ts",
  "mixos-mcp": "mixos-mcp/main.ts",
  notifyd: "notifyd/main.ts",
} as const;

/** The MCP SDK validates clients' answers with these. mixos-mcp sends clients no requests, so it needs neither. */
const neverUsed = ["ajv", "ajv-formats"];

export type Program = keyof typeof entryPoints;

export const programs = Object.keys(entryPoints) as Program[];

/** Writes `programs/<name>.mjs` for each program, and `bin/<name>.mjs`, which starts it. */
export async function bundlePrograms(names: readonly Program[], into: string): Promise<void> {
  await build({
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    absWorkingDir: root,
    entryPoints: Object.fromEntries(names.map((name) => [name, entryPoints[name]])),
    outdir: join(into, "programs"),
    outExtension: { ".js": ".mjs" },
    // Loaded from node_modules: a native addon, and a logger that loads files of its own.
    external: ["better-sqlite3", "pino"],
    alias: Object.fromEntries(neverUsed.map((name) => [name, "./scripts/absent.ts"])),
    // Optional native addons that ws would load from any node_modules above. Node.js does not need them.
    define: { "process.env.WS_NO_BUFFER_UTIL": "true", "process.env.WS_NO_UTF_8_VALIDATE": "true" },
    // CommonJS dependencies call require.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
    logLevel: "warning",
  });
  mkdirSync(join(into, "bin"), { recursive: true });
  for (const name of names) {
    const file = join(into, "bin", `${name}.mjs`);
    copyFileSync(join(root, "scripts/start.mjs"), file);
    chmodSync(file, 0o755);
  }
}
