// SPDX-License-Identifier: MIT OR Apache-2.0
// What programs that start from a bundle have in common: how they are bundled, how such a one loads its code, and how
// what V8 makes of that code gets beside it.
import type { BuildOptions } from "esbuild";

export const bundleOptions = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  minify: true,
  legalComments: "none",
  // Needed for brokers on TCP and for `mix bus` alone, and then taken from the package's dependencies.
  external: ["ws"],
  logLevel: "warning",
} satisfies BuildOptions;

/** The program's own text: it runs the code in that file, which lies beside it. */
export function loading(codeFile: string): string {
  // Imports, and not calls of `require`, which would each bring the bundler's own code with them.
  return `
import { load } from "./mix/load.ts";
const file = __dirname + ${JSON.stringify(`/${codeFile}`)};
const script = load(module, file);`;
}

/** The same, and at its end what was compiled is put beside the source. */
export function keeping(codeFile: string): string {
  return `
import { readFileSync, writeFileSync } from "node:fs";
import { packedWithCode } from "./mix/code-cache.ts";
${loading(codeFile)}
process.on("exit", () => writeFileSync(file, packedWithCode(readFileSync(file), script)));`;
}
