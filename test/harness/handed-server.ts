// SPDX-License-Identifier: MIT OR Apache-2.0
// The MCP server that agentd handed to a scripted agent, started as that agent would start it.
import type { ScriptedAgentFiles } from "../scripted-agent/agent-files.ts";
import { serverUnderTest, type ServerUnderTest } from "../../mixos-mcp/testing/server-process.ts";

export interface HandedServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** What the agent was given for its Bus tools at its nth opening of a session, from 1. Throws where it was not. */
export function handedServer(agent: ScriptedAgentFiles, nth = 1): HandedServer {
  const opened = agent
    .received()
    .filter(({ method }) => method === "session/new" || method === "session/resume" || method === "session/load");
  const params = opened[nth - 1]?.["params"] as unknown as { mcpServers: readonly HandedServer[] } | undefined;
  const found = params?.mcpServers.find(({ name }) => name === "mixos");
  if (!found) throw new Error("no server of that name was handed to the agent");
  return found;
}

/** With nothing in its environment but what it was handed. It ends with the test, if its session does not end it. */
export async function startHandedServer(server: HandedServer): Promise<ServerUnderTest> {
  const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
  return await serverUnderTest({ HOME: "/nonexistent", ...env }, server.args[0]);
}
