// SPDX-License-Identifier: MIT OR Apache-2.0
// Tests start the programs that users start, the built ones, and the scripted agent.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildScriptedAgent } from "./scripted-agent/build.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = [
  "agentd",
  "agent-client",
  "bus-client",
  "acp-client",
  "acp-face",
  "display",
  "files",
  "json",
  "mix",
  "mixos-mcp",
  "notifyd",
  "migrations",
  "scripts",
];

export default function setup(): void {
  buildScriptedAgent();
  const built = join(root, "dist/bin/mix.cjs");
  if (existsSync(built) && newest(sources.map((name) => join(root, name))) <= statSync(built).mtimeMs) return;
  execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
}

function newest(directories: readonly string[]): number {
  let latest = 0;
  for (const directory of directories) {
    for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
      const at = statSync(join(directory, name)).mtimeMs;
      if (at > latest) latest = at;
    }
  }
  return latest;
}
