// SPDX-License-Identifier: MIT OR Apache-2.0
import { fileURLToPath } from "node:url";
import type { DriverProgram } from "./editor-setting.ts";
import { installedNode } from "./installation.ts";

/** A driver in TypeScript, whose types Node 22 strips. */
export function nodeDriver(name: string): DriverProgram {
  return { words: [installedNode, "--no-warnings", fileURLToPath(new URL(`drivers/${name}.ts`, import.meta.url))] };
}
