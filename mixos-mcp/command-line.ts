// SPDX-License-Identifier: MIT OR Apache-2.0

/** What is said to people who start the program by hand, in place of serving. */
export interface CommandLineOutput {
  readonly to: "stdout" | "stderr";
  readonly text: string;
  readonly exitCode: number;
}

/** Undefined: it is to serve. It takes no other words, so that a mistyped one is not passed over in silence. */
export function parseCommandLine(words: readonly string[], version: string): CommandLineOutput | undefined {
  const [first] = words;
  if (first === undefined) return undefined;
  if (first === "--version") return { to: "stdout", text: `mixos-mcp ${version}\n`, exitCode: 0 };
  if (first === "--help" || first === "-h") return { to: "stdout", text: help, exitCode: 0 };
  return { to: "stderr", text: `mixos-mcp: ${first} is not understood; mixos-mcp --help\n`, exitCode: 2 };
}

/** Where somebody sits at stdin, who would wait for a word as it does. */
export const terminalNotice =
  "mixos-mcp: waits for an MCP client on stdin, which starts it by itself (mixos-mcp --help); Ctrl-D ends it\n";

const help = `mixos-mcp: the MixOS Bus as tools for coding agents, an MCP server over stdio

  mixos-mcp

An MCP client starts it: {"mcpServers": {"mixos": {"command": "mixos-mcp"}}}. It ends when its stdin does.
  MIXOS_MCP_DENY   services that are not called, with commas between (default: term,term-*,bterm)
  --version        prints the version
  --help           prints this
`;
