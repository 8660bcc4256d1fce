// SPDX-License-Identifier: MIT OR Apache-2.0

/** Output to print instead of serving. */
export interface CommandLineOutput {
  readonly to: "stdout" | "stderr";
  readonly text: string;
  readonly exitCode: number;
}

/** Returns undefined if the program should serve. Any other argument is an error, so that a typo is noticed. */
export function parseCommandLine(words: readonly string[], version: string): CommandLineOutput | undefined {
  const [first] = words;
  if (first === undefined) return undefined;
  if (first === "--version") return { to: "stdout", text: `mixos-mcp ${version}\n`, exitCode: 0 };
  if (first === "--help" || first === "-h") return { to: "stdout", text: help, exitCode: 0 };
  return { to: "stderr", text: `mixos-mcp: unknown argument ${first}; see mixos-mcp --help\n`, exitCode: 2 };
}

/** Printed if stdin is a terminal. */
export const terminalNotice =
  "mixos-mcp: waiting for an MCP client on stdin, which normally starts it (see mixos-mcp --help); Ctrl-D ends it\n";

const help = `mixos-mcp: the MixOS Bus as tools for coding agents, an MCP server over stdio

  mixos-mcp

An MCP client starts it: {"mcpServers": {"mixos": {"command": "mixos-mcp"}}}. It ends when its stdin does.
  MIXOS_MCP_DENY   services that may not be called, comma-separated (default: term,term-*,bterm)
  --version        print the version
  --help           print this help
`;
