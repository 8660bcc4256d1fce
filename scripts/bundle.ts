// SPDX-License-Identifier: MIT OR Apache-2.0
// Bundles each program: loading a hundred small files takes several times as long. Modules that most runs do not need are
// imported by `import()` and bundled into files of their own. A program must not do that late in its life, since an
// upgrade may have removed those files.
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin, transform } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

const entryPoints = {
  agentd: "agentd/main.ts",
  mix: "mix/main.ts",
  "mixos-mcp": "mixos-mcp/main.ts",
  notifyd: "notifyd/main.ts",
} as const;

/**
 * Imported by dependencies, and never used. The MCP SDK validates clients' answers with ajv, but mixos-mcp sends clients no
 * requests. ws needs the others for TLS and compression, which connections to the Bus do not have.
 */
const neverUsed = ["ajv", "ajv-formats", "https", "tls", "zlib"];

export type Program = keyof typeof entryPoints;

export const programs = Object.keys(entryPoints) as Program[];

const output = {
  platform: "node",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
  // Node.js prints the whole line of an uncaught error.
  lineLimit: 160,
  legalComments: "none",
  logLevel: "warning",
} as const;

/** Writes `programs/<name>.cjs` for each program, and `bin/<name>.cjs`, which starts it. */
export async function bundlePrograms(names: readonly Program[], into: string): Promise<void> {
  for (const directory of ["programs", "bin"]) mkdirSync(join(into, directory), { recursive: true });
  for (const name of names) {
    await bundle(name, join(into, "programs"));
    const file = join(into, "bin", `${name}.cjs`);
    copyFileSync(join(root, "scripts/start.cjs"), file);
    chmodSync(file, 0o755);
  }
}

/** Converts each file to CommonJS, because Node.js starts that faster, but esbuild splits only ES modules. */
async function bundle(name: Program, outdir: string): Promise<void> {
  const { outputFiles } = await build({
    ...output,
    bundle: true,
    format: "esm",
    splitting: true,
    write: false,
    absWorkingDir: root,
    entryPoints: { [name]: entryPoints[name] },
    outdir,
    outExtension: { ".js": ".cjs" },
    // Loaded from node_modules: a native addon, and a logger that loads files of its own.
    external: ["better-sqlite3", "pino"],
    alias: Object.fromEntries(neverUsed.map((unused) => [unused, "./scripts/absent.ts"])),
    // Optional native addons that ws would load from any node_modules above. Node.js does not need them.
    define: { "process.env.WS_NO_BUFFER_UTIL": "true", "process.env.WS_NO_UTF_8_VALIDATE": "true" },
    plugins: [partsOfWs],
  });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, {
      ...output,
      format: "cjs",
      supported: { "dynamic-import": false },
      define: { "import.meta.url": "moduleUrl" },
      banner: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;',
    });
    writeFileSync(path, code);
  }
}

/** Leaves out what is not imported from ws, such as its server in a client. Its package does not say that this is safe. */
const partsOfWs: Plugin = {
  name: "parts of ws",
  setup(building) {
    building.onResolve({ filter: /^\.\/lib\// }, ({ path, importer, resolveDir }) =>
      importer.endsWith("/ws/wrapper.mjs") ? { path: join(resolveDir, path), sideEffects: false } : undefined,
    );
  },
};
