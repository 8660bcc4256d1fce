// SPDX-License-Identifier: MIT OR Apache-2.0
// What the face says of itself in the reply to initialize.
import type { CatalogueReply } from "../agentd/vocabulary/replies.ts";
import type { AgentOffer, ClientCapabilities } from "./agent-side/agent.ts";
import { loginMethod } from "./face-error.ts";

export const terminalLoginMethod = "agentd-terminal-login";

export interface OfferFacts {
  readonly version: string;
  readonly client: ClientCapabilities;
  /** Undefined if agentd could not be asked. */
  readonly catalogue: CatalogueReply | undefined;
  readonly agent: string | undefined;
}

export function faceOffer({ version, client, catalogue, agent }: OfferFacts): AgentOffer {
  const listed = catalogue && { agents: catalogue.agents.map(({ agent: name }) => name), defaultAgent: agent };
  const known = catalogue?.agents.find((one) => one.agent === agent)?.lacks;
  const lacks = known ?? [];
  return {
    info: { name: "agentd", title: "agentd", version },
    prompt: { image: !lacks.includes("image"), embeddedContext: true },
    // A client would hand over an MCP server of its own, with which the agent could not be started.
    mcp: { http: !lacks.includes("mcp_http") },
    // One with several folders hands them over each time: an agent of which nothing is known may not start with them.
    additionalDirectories: known !== undefined && !lacks.includes("additional_dirs"),
    authMethods: authMethods(client),
    meta: { agentd: { gateway: catalogue === undefined ? "unreachable" : "connected", ...listed } },
  };
}

function authMethods({ terminalLogin, meta }: ClientCapabilities): NonNullable<AgentOffer["authMethods"]> {
  const byAgentd = {
    id: loginMethod,
    name: "agentd login",
    description: "Uses the credentials the gateway already holds",
    type: "agent",
  } as const;
  if (terminalLogin) return [inTerminal, byAgentd];
  // What Zed knew before ACP had logins in a terminal.
  return [meta["terminal-auth"] === true ? { ...byAgentd, _meta: { "terminal-auth": commandForZed } } : byAgentd];
}

const inTerminal = {
  id: terminalLoginMethod,
  name: "agentd login (terminal)",
  description: "Sign in from a terminal",
  type: "terminal",
  args: ["login"],
} as const;
const commandForZed = { label: "agentd login", command: "mix", args: ["agent", "login"], env: {} };
