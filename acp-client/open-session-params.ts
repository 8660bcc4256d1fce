// SPDX-License-Identifier: MIT OR Apache-2.0
import { isAbsolute } from "node:path";
import type { OpenSessionParams } from "./agent-client.ts";
import type { AgentCapabilities, McpServer } from "./model.ts";

/**
 * Returns an error message if the agent cannot open a session with these parameters. ACP requires absolute paths;
 * additional directories and HTTP or SSE servers need a capability of the agent.
 */
export function checkOpenParams(request: OpenSessionParams, offered: AgentCapabilities): string | undefined {
  if (request.how === "load" && !offered.load) return "This agent does not support session/load";
  if (request.how === "resume" && !offered.resume) return "This agent does not support session/resume";
  if (!isAbsolute(request.cwd)) return `The directory "${request.cwd}" is not absolute`;
  if (request.additionalDirectories.length > 0 && !offered.additionalDirectories) {
    return "This agent does not support additional directories";
  }
  const relative = request.additionalDirectories.find((directory) => !isAbsolute(directory));
  if (relative !== undefined) return `The additional directory "${relative}" is not absolute`;
  const server = request.mcpServers.find((candidate) => !supportsServer(candidate, offered));
  return server && `This agent does not support MCP servers over ${transportOf(server)}: "${server.name}"`;
}

function supportsServer(server: McpServer, offered: AgentCapabilities): boolean {
  if (!("type" in server)) return true;
  return server.type === "http" ? offered.mcpHttp : offered.mcpSse;
}

function transportOf(server: McpServer): string {
  return "type" in server ? server.type : "stdio";
}
