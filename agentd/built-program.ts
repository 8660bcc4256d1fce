// SPDX-License-Identifier: MIT OR Apache-2.0
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The path of a built file: beside this one if this is a built one, or in dist/ when run from source. */
export function builtProgram(path: string): string {
  const here = fileURLToPath(new URL("..", import.meta.url));
  return here.endsWith("/dist/") ? join(here, path) : join(here, "dist", path);
}

/** The programs by which the demo agent is started. */
export function ownPrograms(): { readonly nodeProgram: string; readonly demoProgram: string } {
  return { nodeProgram: process.execPath, demoProgram: builtProgram("agentd/demo-agent/main.js") };
}
