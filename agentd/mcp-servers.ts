// SPDX-License-Identifier: MIT OR Apache-2.0
// The MCP servers of a start: what is asked for, and what the agent is given. A value may be the name of a variable, so
// that a secret need not travel.
import type { McpServer } from "../acp-client/model.ts";
import type { VerbArguments } from "./vocabulary/index.ts";

export type RequestedServer = VerbArguments<"agent.session.start">["mcp_servers"][number];
type NamedValue = { readonly name: string; readonly value: string | { readonly env: string } };

/** The variables that the servers' values name, each once. */
export function variablesOf(servers: readonly RequestedServer[]): string[] {
  const values = servers.flatMap((server): readonly NamedValue[] => ("url" in server ? server.headers : server.env));
  return [...new Set(values.flatMap(({ value }) => (typeof value === "string" ? [] : [value.env])))];
}

/** As the agent is told, with every value looked up. */
export function resolveValues(server: RequestedServer, values: Readonly<Record<string, string>>): McpServer {
  const literal = ({ name, value }: NamedValue): { name: string; value: string } => ({
    name,
    value: typeof value === "string" ? value : (values[value.env] ?? ""),
  });
  if ("url" in server) {
    const { type, name, url } = server;
    return { type, name, url, headers: server.headers.map(literal) };
  }
  return { name: server.name, command: server.command, args: server.args, env: server.env.map(literal) };
}
