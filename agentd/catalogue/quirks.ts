// SPDX-License-Identifier: MIT OR Apache-2.0
// Which quirks a running agent has. They belong to the agent, not to the name or the command by which it was started.
import type { AgentInfo } from "../../acp-client/model.ts";
import type { AgentDefinition, BuiltInQuirks } from "./agents/definition.ts";
import { publishedAgents } from "./built-in.ts";

/**
 * Returns the quirks of the agent that calls itself so in its response to initialize, otherwise of the built-in agent
 * with the definition's name. What is configured for a definition counts before them.
 */
export function quirksOf(
  { name, builtIn, quirks }: Pick<AgentDefinition, "name" | "builtIn" | "quirks">,
  info: AgentInfo | null | undefined,
): BuiltInQuirks {
  const known =
    publishedAgents.find(({ infoName }) => infoName === info?.name) ??
    publishedAgents.find((agent) => agent.name === name);
  return { ...known?.quirks, ...(builtIn ? {} : quirks) };
}
