// SPDX-License-Identifier: MIT OR Apache-2.0
// The MCP servers of a start: as requested, and as the agent gets them. A value may name a variable of `allow_env`, so
// that a secret does not travel over the Bus.
import type { McpServer } from "../acp-client/model.ts";
import type { VerbArguments } from "./vocabulary/index.ts";

export type RequestedServer = VerbArguments<"agent.session.start">["mcp_servers"][number];
type NamedValue = { readonly name: string; readonly value: string | { readonly env: string } };

/** The variables that the servers' values name, without duplicates. */
export function variablesOf(servers: readonly RequestedServer[]): string[] {
  const values = servers.flatMap((server): readonly NamedValue[] => ("url" in server ? server.headers : server.env));
  return [...new Set(values.flatMap(({ value }) => (typeof value === "string" ? [] : [value.env])))];
}

/** Returns the server's definition for the agent, with variables replaced by their values. */
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
