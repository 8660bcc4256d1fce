// SPDX-License-Identifier: MIT OR Apache-2.0
// The process: MCP on stdin and stdout, which carry nothing else, and an end as soon as the client has gone.
import { processWords } from "../display/process-output.ts";
import { parseDenyList } from "./addresses.ts";
import { parseCommandLine, terminalNotice } from "./command-line.ts";
import { lineBytesMax } from "./limits.ts";
import { BusConnection } from "./bus-connection.ts";
import { createMcpServer } from "./server.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { stripByteOrderMark } from "./stdio-transport.ts";
import manifest from "../package.json" with { type: "json" };
import { randomLetters } from "../bus-client/index.ts";

const { argv, env, stdin, stdout } = process;
const { version } = manifest;
const words = processWords("stderr");

const output = parseCommandLine(argv.slice(2), version);
if (output === undefined) serve();
else {
  void processWords(output.to).text(output.text);
  process.exitCode = output.exitCode;
}

function serve(): void {
  if (stdin.isTTY) void words.text(terminalNotice);
  const connection = new BusConnection({
    surroundings: {
      env,
      uid: process.getuid?.() ?? -1,
      home: env["HOME"] || process.getBuiltinModule("node:os").homedir(),
    },
    name: () => citizenName(env["AGENTD_SESSION"], Math.random),
    version,
  });
  const server = createMcpServer({ connection, denied: parseDenyList(env["MIXOS_MCP_DENY"]), version });

  let ending = false;
  function end(code: number): void {
    if (ending) return;
    ending = true;
    void connection.leave().finally(() => process.exit(code));
  }

  stdin.on("end", () => end(0)).on("close", () => end(0));
  // Nobody reads our answers.
  stdout.on("error", () => end(0));
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => end(0));

  server.onerror = (error) => void words.text(`mixos-mcp: ${describeError(error)}\n`);
  // The transport closes by itself after a line that is too long; nothing could be read after it.
  server.onclose = () => end(1);
  void server.connect(new StdioTransport(stripByteOrderMark(stdin), stdout, lineBytesMax));
}

/** The SDK's reader shows all that a message might have been, over many lines. */
function describeError(error: Error): string {
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
