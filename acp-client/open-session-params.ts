// SPDX-License-Identifier: MIT OR Apache-2.0
import { isAbsolute } from "node:path";
import type { OpenSessionParams } from "./agent-client.ts";
import type { AgentCapabilities, McpServer } from "./model.ts";

/**
 * Why a session cannot be opened in this way at this agent, for people; undefined when it can. ACP wants absolute
 * paths, and directories and servers beyond the basic ones only from an agent that offers them.
 */
export function checkOpenParams(request: OpenSessionParams, offered: AgentCapabilities): string | undefined {
  if (request.how === "load" && !offered.load) return "This agent does not load sessions";
  if (request.how === "resume" && !offered.resume) return "This agent does not resume sessions";
  if (!isAbsolute(request.cwd)) return `The directory "${request.cwd}" is not absolute`;
  if (request.additionalDirectories.length > 0 && !offered.additionalDirectories) {
    return "This agent takes no additional directories";
  }
  const relative = request.additionalDirectories.find((directory) => !isAbsolute(directory));
  if (relative !== undefined) return `The additional directory "${relative}" is not absolute`;
  const server = request.mcpServers.find((candidate) => !supportsServer(candidate, offered));
  return server && `This agent takes no MCP server over ${transportOf(server)}: "${server.name}"`;
}

function supportsServer(server: McpServer, offered: AgentCapabilities): boolean {
  if (!("type" in server)) return true;
  return server.type === "http" ? offered.mcpHttp : offered.mcpSse;
}

function transportOf(server: McpServer): string {
  return "type" in server ? server.type : "stdio";
}
