// SPDX-License-Identifier: MIT OR Apache-2.0
// Which built-in agent runs, and the quirks that it has. They belong to the agent, not to the name or the command by
// which it was started.
import type { AgentInfo } from "../../acp-client/model.ts";
import type { AgentDefinition, BuiltInQuirks } from "./agents/definition.ts";
import { publishedAgents } from "./built-in.ts";

/**
 * Returns the built-in agent that calls itself so in its response to initialize, otherwise the one with the definition's
 * name.
 */
export function publishedAgent(name: string, info: AgentInfo | null | undefined): AgentDefinition | undefined {
  return (
    publishedAgents.find(({ infoName }) => infoName === info?.name) ??
    publishedAgents.find((agent) => agent.name === name)
  );
}

/** Returns the quirks of the agent that runs. What is configured for a definition counts before them. */
export function quirksOf(
  { name, builtIn, quirks }: Pick<AgentDefinition, "name" | "builtIn" | "quirks">,
  info: AgentInfo | null | undefined,
): BuiltInQuirks {
  return { ...publishedAgent(name, info)?.quirks, ...(builtIn ? {} : quirks) };
}
