// SPDX-License-Identifier: MIT OR Apache-2.0
// The program: serves MCP on stdin and stdout, which carry nothing else, and exits when the client closes stdin.
import { citizenName } from "../agent-client/requests/citizen-name.ts";
import { processWords } from "../display/process-output.ts";
import { parseDenyList } from "./addresses.ts";
import { lineBytesMax } from "./limits.ts";
import { BusConnection } from "./bus-connection.ts";
import { createMcpServer } from "./server.ts";
import { StdioTransport, stripByteOrderMark } from "./stdio-transport.ts";
import { ownBuild } from "../files/installed-build.ts";
import { homeDirectory } from "../files/home-directory.ts";

const { argv, env, stdin, stdout } = process;
const { version } = ownBuild(import.meta.url);
const words = processWords("stderr");

const terminalNotice =
  "mixos-mcp: waiting for an MCP client on stdin, which normally starts it (see mixos-mcp --help); Ctrl-D ends it\n";

const help = `mixos-mcp: the MixOS Bus as tools for coding agents, an MCP server over stdio

  mixos-mcp

An MCP client starts it: {"mcpServers": {"mixos": {"command": "mixos-mcp"}}}. It ends when its stdin does.
  MIXOS_MCP_DENY   services that may not be called, comma-separated (default: term,term-*,bterm)
  --version        print the version
  --help           print this help
`;

const [first] = argv.slice(2);
if (first === undefined) serve();
else if (first === "--version") void processWords("stdout").text(`mixos-mcp ${version}\n`);
else if (first === "--help" || first === "-h") void processWords("stdout").text(help);
else {
  void words.text(`mixos-mcp: unknown argument ${first}; see mixos-mcp --help\n`);
  process.exitCode = 2;
}

function serve(): void {
  if (stdin.isTTY) void words.text(terminalNotice);
  const connection = new BusConnection({
    surroundings: { env, uid: process.getuid?.() ?? -1, home: homeDirectory(env) },
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
