// SPDX-License-Identifier: MIT OR Apache-2.0
// agentd and notifyd as bundles: a start that reads some hundred small files takes several times as long. What a program
// imports only when it runs for good is in a file of its own, so that `--version` does not load it.
import { build } from "esbuild";

export async function bundleDaemons(root: string, into: string): Promise<void> {
  await build({
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    absWorkingDir: root,
    entryPoints: { agentd: "agentd/main.ts", notifyd: "notifyd/main.ts" },
    outdir: into,
    outExtension: { ".js": ".mjs" },
    chunkNames: "daemon-[hash]",
    // A native addon and a logger that looks for files of its own: from the package's dependencies.
    external: ["better-sqlite3", "pino"],
    // For the dependencies that are CommonJS.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
    logLevel: "warning",
  });
}
