// SPDX-License-Identifier: MIT OR Apache-2.0
// Bundles the scripted agent, which tests start hundreds of times: through a compiler each start would take a second.
import { mkdirSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** Git ignores it, and the package does not contain it. */
export const scriptedAgentProgram = fileURLToPath(new URL("../../.test-programs/scripted-agent.mjs", import.meta.url));

/** Renames the program into place, so that another run of the tests can start it meanwhile. */
export function buildScriptedAgent(): void {
  const aside = `${scriptedAgentProgram}.${process.pid}`;
  mkdirSync(dirname(scriptedAgentProgram), { recursive: true });
  buildSync({
    entryPoints: [fileURLToPath(new URL("main.ts", import.meta.url))],
    outfile: aside,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
  });
  renameSync(aside, scriptedAgentProgram);
}
