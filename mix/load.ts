// SPDX-License-Identifier: MIT OR Apache-2.0
// The first lines of the program: they run its first bundle, and are as short as can be.
import type { Script } from "node:vm";
import { scriptOf } from "./code-cache.ts";

/** Runs the file as the body of this module. */
export function load(module: NodeJS.Module, file: string): Script {
  const script = scriptOf(file);
  const run = script.runInThisContext() as (exports: unknown, require: (id: string) => unknown, module: object) => void;
  run(module.exports, (id) => module.require(id), module);
  return script;
}
