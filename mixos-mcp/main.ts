// SPDX-License-Identifier: MIT OR Apache-2.0
// The program: serves MCP on stdin and stdout, which carry nothing else, and exits when the client closes stdin.
import { citizenName } from "../agent-client/requests/citizen-name.ts";
import { processWords } from "../display/process-output.ts";
import { parseDenyList } from "./addresses.ts";
import { parseCommandLine, terminalNotice } from "./command-line.ts";
import { lineBytesMax } from "./limits.ts";
import { BusConnection } from "./bus-connection.ts";
import { createMcpServer } from "./server.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { stripByteOrderMark } from "./stdio-transport.ts";
import { homedir } from "node:os";
import { ownBuild } from "../files/installed-build.ts";

const { argv, env, stdin, stdout } = process;
const { version } = ownBuild(import.meta.url);
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
      home: env["HOME"] || homedir(),
    },
    name: () => citizenName("mcp", env["AGENTD_SESSION"], Math.random),
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
  // The client no longer reads.
  stdout.on("error", () => end(0));
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => end(0));

  server.onerror = (error) => void words.text(`mixos-mcp: ${describeError(error)}\n`);
  // The transport closes after a line that is too long, since what follows cannot be read.
  server.onclose = () => end(1);
  void server.connect(new StdioTransport(stripByteOrderMark(stdin), stdout, lineBytesMax));
}

/** Replaces the SDK's parse errors, which are many lines long. */
function describeError(error: Error): string {
  return error.name === "ZodError" || error instanceof SyntaxError
    ? "received a line that is not an MCP message"
    : error.message;
}
