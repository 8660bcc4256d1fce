// SPDX-License-Identifier: MIT OR Apache-2.0
// Refuses what an agent is known not to support before anything is logged. What is not known is left to the agent.
import type { ContentBlock } from "../vocabulary/entries.ts";
import type { Answer } from "../../bus-client/index.ts";
import { definitionOf } from "../catalogue/catalogue.ts";
import { findAgent } from "../catalogue/find-program.ts";
import type { KnownOfAgent } from "../catalogue/known-capabilities.ts";
import type { RequestedServer } from "../mcp-servers.ts";
import { corePorts } from "../session/core-ports.ts";
import type { NewSession } from "../session/core/state.ts";
import { refuse } from "./call.ts";
import type { Instance } from "./instance.ts";

export interface Wanted {
  readonly additionalDirs?: readonly string[];
  readonly servers?: readonly RequestedServer[];
  readonly prompt?: string | readonly ContentBlock[] | undefined;
}

export function checkCapabilities(
  { catalogue, places, capabilities }: Pick<Instance, "catalogue" | "places" | "capabilities">,
  agent: Pick<NewSession, "agent" | "command">,
  sessionDirectories: readonly string[],
  wanted: Wanted,
): Answer | undefined {
  if (!needsCapability(wanted)) return undefined;
  const definition = definitionOf(catalogue(), agent);
  const found = definition && findAgent(definition, places, sessionDirectories);
  if (definition === undefined || found?.status !== "installed") return undefined;
  const known = capabilities.of(definition, found.file);
  const problem = known && findProblem(known, wanted);
  if (problem === undefined) return undefined;
  const { field, what, advice } = problem;
  const message = `${agent.agent} ${what} (${known?.source ?? ""}): ${advice}`;
  return refuse("UNSUPPORTED", message, { agent: agent.agent, field });
}

/** False for what every agent supports, so that most starts need not look the agent up. */
function needsCapability({ additionalDirs = [], servers = [], prompt }: Wanted): boolean {
  return additionalDirs.length > 0 || servers.some((server) => "url" in server) || Array.isArray(prompt);
}

interface Problem {
  readonly field: "additional_dirs" | "mcp_servers" | "prompt";
  readonly what: string;
  readonly advice: string;
}

function findProblem({ offers }: KnownOfAgent, { additionalDirs = [], servers = [], prompt }: Wanted) {
  const problems = [
    additionalDirs.length > 0 && !offers("additionalDirectories") ? directoriesProblem : undefined,
    ...servers.map((server) => findServerProblem(offers, server)),
    typeof prompt === "object" ? findPromptProblem(offers, prompt) : undefined,
  ];
  return problems.find((problem) => problem !== undefined);
}

const directoriesProblem: Problem = {
  field: "additional_dirs",
  what: "takes no additional directories",
  advice: "leave them out, or start it in a directory that contains them",
};

function findServerProblem(offers: KnownOfAgent["offers"], server: RequestedServer): Problem | undefined {
  if (!("url" in server) || offers(server.type === "http" ? "mcpHttp" : "mcpSse")) return undefined;
  return {
    field: "mcp_servers",
    what: `takes no MCP servers over ${server.type}`,
    advice: `leave ${JSON.stringify(server.name)} out, or give it another transport`,
  };
}

function findPromptProblem(offers: KnownOfAgent["offers"], blocks: readonly ContentBlock[]): Problem | undefined {
  const problem = corePorts.findPromptProblem(blocks, {
    promptImage: offers("promptImage"),
    promptAudio: offers("promptAudio"),
    promptEmbeddedContext: offers("promptEmbeddedContext"),
  });
  return problem === undefined
    ? undefined
    : { field: "prompt", what: `cannot be sent this prompt: ${problem}`, advice: "send it without that block" };
}
