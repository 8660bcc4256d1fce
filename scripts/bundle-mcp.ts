// SPDX-License-Identifier: MIT OR Apache-2.0
// The MCP server as one bundle, kept with what V8 made of it: an agent waits for its servers before its first turn.
import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Plugin } from "esbuild";
import { packed } from "../mix/code-cache.ts";
import { bundleOptions, keeping, loading } from "./bundled-program.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const [program, codeFile] = ["mixos-mcp.cjs", "mixos-mcp.code"] as const;

/** Writes `mixos-mcp.cjs`, the program, and `mixos-mcp.code`, which it runs. */
export async function bundleMcp(into: string): Promise<void> {
  writeFileSync(join(into, codeFile), packed(await bundle('require("./mixos-mcp/main.ts");')));
  writeFileSync(join(into, program), `#!/usr/bin/env node\n${await bundle(loading(codeFile))}`, { mode: 0o755 });
  await keepCode(into);
}

/** Runs as an agent would run it, and puts what was compiled beside the source. */
async function keepCode(into: string): Promise<void> {
  const keeper = join(into, "mixos-mcp-keep.cjs");
  writeFileSync(keeper, await bundle(keeping(codeFile)));
  await talk(keeper);
  rmSync(keeper);
}

/** One conversation without a Bus: a name that leads nowhere is looked for, and no more. */
async function talk(file: string): Promise<void> {
  // No flags for Node.js: V8 takes code only under the flags that it was made with.
  const env = { MIXOS_NODED_URL: "ws+unix:///nowhere/bus.sock:/ws" };
  const child = spawn(process.execPath, [file], { env, stdio: ["pipe", "pipe", "inherit"], timeout: talkTimeoutMs });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  for (const line of conversation) child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`);
  let answers = 0;
  for await (const _ of createInterface({ input: child.stdout })) {
    answers += 1;
    if (answers === conversation.filter((line) => "id" in line).length) child.stdin.end();
  }
  if ((await ended) !== 0) throw new Error("the MCP server did not end well");
}

const talkTimeoutMs = 30_000;

const conversation = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "build", version: "0" } },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
  { id: 3, method: "tools/call", params: { name: "bus_call", arguments: { service: "term", command: "HELP" } } },
];

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    ...bundleOptions,
    stdin: { contents, resolveDir: root },
    plugins: [leftOut],
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

/**
 * What is imported and never run: the SDK's validator of what clients answer to its questions (ours asks none, and hands
 * in its own), the third edition of zod (its schemas are of the fourth), and zod's words in fifty languages.
 */
const leftOut: Plugin = {
  name: "left out",
  setup(bundling) {
    bundling.onResolve({ filter: /\/ajv-provider\.js$/ }, ({ path }) => ({ path, namespace: "left-out" }));
    bundling.onResolve({ filter: /^zod\/v3$/ }, ({ path }) => ({ path, namespace: "left-out" }));
    bundling.onResolve({ filter: /\/locales\/index\.js$/ }, ({ path }) => ({ path, namespace: "left-out" }));
    bundling.onLoad({ filter: /./, namespace: "left-out" }, () => ({
      contents: "module.exports = { AjvJsonSchemaValidator: class {} };",
    }));
  },
};
