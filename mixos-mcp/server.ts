// SPDX-License-Identifier: MIT OR Apache-2.0
// The MCP server: lists the tools and dispatches calls to them.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
  type Tool as ListedTool,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { DenyList } from "./addresses.ts";
import { ToolRunner } from "./tool-runner.ts";
import type { BusConnection } from "./bus-connection.ts";
import type { Tool } from "./tool.ts";
import { busWait } from "./tools/bus-wait.ts";
import { busCall, busHelp, busPublish, busServices } from "./tools/calls.ts";

export interface McpServerOptions {
  readonly connection: BusConnection;
  readonly denied: DenyList;
  readonly version: string;
}

/** Uses the SDK's low-level server, which starts in half the time of McpServer. */
export function createMcpServer({ connection, denied, version }: McpServerOptions): Server {
  const options = { capabilities: { tools: {} }, instructions, jsonSchemaValidator: unusedValidator };
  const server = new Server({ name: "mixos-mcp", version }, options);
  const runner = new ToolRunner();
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: Array.from(tools.values(), toListedTool) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }): Promise<CallToolResult> => {
    const tool = tools.get(params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `no tool ${params.name}`);
    const { texts, isError } = await runner.run(tool, params.arguments, { connection, denied, signal });
    return { content: texts.map((text) => ({ type: "text", text })), isError };
  });
  // Connects without waiting for a tool call, so that others on the Bus see that this server is running.
  server.oninitialized = () => connection.start();
  return server;
}

const instructions =
  "The MixOS Bus connects programs of this machine. bus_services lists its services, bus_help asks one what it can do, " +
  "bus_call calls it, bus_wait and bus_publish receive and send messages on topics. Other coding agents are sessions of " +
  "the service agent: you may start some and steer those that you started. Commands to your own session and to those of others, " +
  "modes, and answers to what people are asked are refused with AGENT_SELF.";

/** The SDK validates only a client's answers to our requests, and we send none. */
const unusedValidator = {
  getValidator: () => {
    throw new Error("no requests are sent to clients");
  },
};

function toListedTool({ name, description, arguments: schema, readOnly }: Tool): ListedTool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema, { io: "input" });
  return {
    name,
    description,
    inputSchema: inputSchema as ListedTool["inputSchema"],
    annotations: { readOnlyHint: readOnly, openWorldHint: true },
  };
}

const tools: ReadonlyMap<string, Tool> = new Map(
  [busServices, busHelp, busCall, busPublish, busWait].map((one) => [one.name, one as Tool]),
);
