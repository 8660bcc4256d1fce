// SPDX-License-Identifier: MIT OR Apache-2.0
// The command line as two bundles: what a short reading command runs, and all the rest, loaded by verbs that need it.
// Most of what such a command costs is the compiling of code, whether it runs or not. Each module is in one of the two
// alone; for the first, what V8 makes of it is kept as well.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { BuildOptions, Plugin } from "esbuild";
import { packed } from "../mix/code-cache.ts";
import { bundleOptions, keeping, loading } from "./bundled-program.ts";
import { warmMix } from "./warm-mix.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** With all that they import, but for what they import only when they need it. */
const shortCommands = [
  "mix/main.ts",
  "mix/connect/reader-connection.ts",
  ...["agents", "ls", "show", "status"].map((verb) => `mix/verbs/${verb}.ts`),
];

const firstFile = "mix-first.code";
/** As they name each other. */
const [program, restFile] = ["./mix.cjs", "./mix-rest.cjs"] as const;

/** Writes `mix.cjs`, the program, and beside it `mix-first.code` and `mix-rest.cjs`. `id`: of the build. */
export async function bundleMix(into: string, id?: string): Promise<void> {
  const { first, later } = await split();
  const built = manifestOf(id);
  // The first bundle runs as the body of the program's own module, so that is where its doors are.
  const rest = await bundle(doors(later), elsewhere(program, first), built);
  const body = await bundle(`${doors(rest.taken)}\nrequire("./mix/main.ts");`, elsewhere(restFile, later), built);
  const load = await bundle(loading(firstFile));
  writeFileSync(join(into, restFile), rest.text);
  writeFileSync(join(into, firstFile), packed(body.text));
  writeFileSync(join(into, program), `#!/usr/bin/env node\n${load.text}`, { mode: 0o755 });
  await keepCode(into);
}

/** Runs as the program does, and puts what was compiled beside the source. */
async function keepCode(into: string): Promise<void> {
  const keeper = join(into, "mix-keep.cjs");
  writeFileSync(keeper, (await bundle(keeping(firstFile))).text);
  await warmMix(keeper);
  rmSync(keeper);
}

interface Bundle {
  readonly text: string;
  /** The modules that it takes from the other file. */
  readonly taken: readonly string[];
}

async function bundle(contents: string, ...plugins: Plugin[]): Promise<Bundle> {
  const { metafile, outputFiles } = await build({
    ...common,
    stdin: { contents, resolveDir: root },
    plugins: [...plugins, neededAlone],
    write: false,
    metafile: true,
  });
  const [output] = Object.values(metafile.outputs);
  const taken = Object.entries(output?.inputs ?? {})
    .filter(([name, { bytesInOutput }]) => name.startsWith(`${takenFrom}:`) && bytesInOutput > 0)
    .map(([name]) => name.slice(takenFrom.length + 1));
  return { text: outputFiles[0]?.text ?? "", taken };
}

const common = {
  ...bundleOptions,
  external: [...bundleOptions.external, program, restFile],
} satisfies BuildOptions;

interface Halves {
  /** The modules, as paths from the root, that are loaded as soon as a short command is. */
  readonly first: ReadonlySet<string>;
  /** Those that one of the first loads when it needs them. */
  readonly later: ReadonlySet<string>;
}

async function split(): Promise<Halves> {
  const needed = new Set<string>();
  const { metafile } = await build({
    ...common,
    entryPoints: shortCommands.map((entry) => join(root, entry)),
    absWorkingDir: root,
    outdir: root,
    plugins: [loadedWhenNeeded(needed), neededAlone],
    write: false,
    metafile: true,
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const first = new Set(inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([module]) => module));
  return { first, later: new Set([...needed].filter((module) => !first.has(module))) };
}

/** Leaves out what is imported only when it is needed, and notes it. */
function loadedWhenNeeded(needed: Set<string>): Plugin {
  return {
    name: "what is loaded when it is needed",
    setup(bundling) {
      bundling.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ kind, path, resolveDir }) => {
        if (kind !== "dynamic-import") return undefined;
        needed.add(relative(root, resolve(resolveDir, path)));
        return { path, external: true };
      });
    },
  };
}

/** An object that runs a module when it is first asked for it. */
function doors(modules: Iterable<string>): string {
  const getters = Array.from(modules, (module) => {
    const name = JSON.stringify(module);
    return `get ${name}() { return require(${JSON.stringify(`./${module}`)}); }`;
  });
  return `module.exports = {\n${getters.join(",\n")}\n};`;
}

/** Of the manifest the version alone, and what the build adds: a bundle would have all of it. */
function manifestOf(id: string | undefined): Plugin {
  return {
    name: "the manifest",
    setup(bundling) {
      bundling.onLoad({ filter: /\/package\.json$/ }, ({ path }) => {
        const { version } = JSON.parse(readFileSync(path, "utf8")) as { version: string };
        return { contents: JSON.stringify({ version, build: id }), loader: "json" };
      });
    },
  };
}

/** Of an index the modules that are asked for: a bundle would have all of it. */
const neededAlone: Plugin = {
  name: "what is needed alone",
  setup(bundling) {
    bundling.onResolve({ filter: /^\.\.?\/.*\.ts$/, namespace: "file" }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path),
      sideEffects: false,
    }));
  },
};

const takenFrom = "elsewhere";

/** Takes these modules from the other file, which is loaded when the first of them is needed. */
function elsewhere(file: string, modules: ReadonlySet<string>): Plugin {
  return {
    name: `from ${file}`,
    setup(bundling) {
      bundling.onResolve({ filter: /^\.\.?\/.*\.(ts|json)$/, namespace: "file" }, ({ path, resolveDir }) => {
        const module = relative(root, resolve(resolveDir, path));
        return modules.has(module) ? { path: module, namespace: takenFrom, sideEffects: false } : undefined;
      });
      bundling.onLoad({ filter: /./, namespace: takenFrom }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(file)})[${JSON.stringify(path)}];`,
        loader: "js",
      }));
    },
  };
}
