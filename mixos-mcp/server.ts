// SPDX-License-Identifier: MIT OR Apache-2.0
// The MCP side: what is offered, and what becomes of a call.
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
import type { Denied } from "./addresses.ts";
import { Desk } from "./desk.ts";
import type { Presence } from "./presence.ts";
import type { Tool } from "./tool.ts";
import { busCall } from "./tools/bus-call.ts";
import { busHelp } from "./tools/bus-help.ts";
import { busPublish } from "./tools/bus-publish.ts";
import { busServices } from "./tools/bus-services.ts";
import { busWait } from "./tools/bus-wait.ts";

export interface ServerParts {
  readonly presence: Presence;
  readonly denied: Denied;
  readonly version: string;
}

/** The low-level server of the SDK: it starts in half the time of the other. */
export function mcpServer({ presence, denied, version }: ServerParts): Server {
  const options = { capabilities: { tools: {} }, instructions, jsonSchemaValidator: noSchemasFromClients };
  const server = new Server({ name: "mixos-mcp", version }, options);
  const desk = new Desk();
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: Array.from(tools.values(), listed) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }): Promise<CallToolResult> => {
    const tool = tools.get(params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `no tool ${params.name}`);
    const { texts, isError } = await desk.run(tool, params.arguments, { presence, denied, signal });
    return { content: texts.map((text) => ({ type: "text", text })), isError };
  });
  // Also for those who only look whether this server has come: it is on the Bus as soon as its client has found it.
  server.oninitialized = () => presence.begin();
  return server;
}

const instructions =
  "The MixOS Bus connects programs of this machine. bus_services lists who is there, bus_help asks one what it can do, " +
  "bus_call asks it to do something, bus_wait and bus_publish follow and feed topics. Other coding agents are sessions of " +
  "the service agent: you may start some and steer those that you started. Commands to your own session and to those of others, " +
  "modes, and answers to what people are asked are refused with AGENT_SELF.";

/** Only what a client answers to questions of ours would be validated, and we ask none. */
const noSchemasFromClients = {
  getValidator: () => {
    throw new Error("nothing is asked of clients");
  },
};

function listed({ name, description, arguments: schema, readOnly }: Tool): ListedTool {
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
