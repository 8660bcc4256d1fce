// SPDX-License-Identifier: MIT OR Apache-2.0
// The process: MCP on stdin and stdout, which carry nothing else, and an end as soon as the client has gone.
import { homedir } from "node:os";
import { processWords } from "../display/process-output.ts";
import { ownBuild } from "../files/installed-build.ts";
import { deniedOf } from "./addresses.ts";
import { toldInstead, waitingWords } from "./command-line.ts";
import { lineBytesMax } from "./limits.ts";
import { Presence } from "./presence.ts";
import { mcpServer } from "./server.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { unmarked } from "./stdio-transport.ts";
import { randomLetters } from "../bus-client/index.ts";

const { argv, env, stdin, stdout } = process;
const { version } = ownBuild(import.meta.url);
const words = processWords("stderr");

const told = toldInstead(argv.slice(2), version);
if (told === undefined) serve();
else {
  void processWords(told.to).text(told.text);
  process.exitCode = told.exitCode;
}

function serve(): void {
  if (stdin.isTTY) void words.text(waitingWords);
  const presence = new Presence({
    surroundings: {
      env,
      uid: process.getuid?.() ?? -1,
      home: env["HOME"] || homedir(),
    },
    name: () => citizenName(env["AGENTD_SESSION"], Math.random),
    version,
  });
  const server = mcpServer({ presence, denied: deniedOf(env["MIXOS_MCP_DENY"]), version });

  let ending = false;
  function end(code: number): void {
    if (ending) return;
    ending = true;
    void presence.leave().finally(() => process.exit(code));
  }

  stdin.on("end", () => end(0)).on("close", () => end(0));
  // Nobody reads our answers.
  stdout.on("error", () => end(0));
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => end(0));

  server.onerror = (error) => void words.text(`mixos-mcp: ${wordsFor(error)}\n`);
  // The transport closes by itself after a line that is too long; nothing could be read after it.
  server.onclose = () => end(1);
  void server.connect(new StdioTransport(unmarked(stdin), stdout, lineBytesMax));
}

/** The SDK's reader shows all that a message might have been, over many lines. */
function wordsFor(error: Error): string {
  return error.name === "ZodError" || error instanceof SyntaxError ? "a line that is no MCP message" : error.message;
}

/**
 * In a session of agentd's, one by which agentd knows that session's own agent (`mcp-s-<session>-<4>`); else `mcp-<6>`.
 * `marker`: AGENTD_SESSION, `<log>/<session>`. `random`: from 0 up to 1.
 */
function citizenName(marker: string | undefined, random: () => number): string {
  const session = /^[a-z2-7]{12}\/([a-z2-7]{12})$/.exec(marker ?? "")?.[1];
  return session === undefined ? `mcp-${randomLetters(6, random)}` : `mcp-s-${session}-${randomLetters(4, random)}`;
}
