// SPDX-License-Identifier: MIT OR Apache-2.0
// What a person can do when an agent that was given a key says that it needs a login.
import type { LoginAdvice } from "../../acp-client/failure.ts";
import { type AgentDefinition, loginAdvice } from "./agents/definition.ts";

export interface GivenValues {
  /** The agent's whole environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The names that the start passed on, which come before those of the agent. */
  readonly passed: readonly string[];
  /** The names that are stored for the agent. */
  readonly stored: readonly string[];
}

/** Without a key: how to log in. With one: that it was refused, and how to replace it where it comes from. */
export function keyAdvice(definition: AgentDefinition, given: GivenValues): LoginAdvice {
  const { name: agent, keyVariables = [] } = definition;
  const key = [...keyVariables, ...given.stored].find((name) => (given.environment[name] ?? "") !== "");
  if (key === undefined) return { agent, advice: definition.login ?? loginAdvice(definition) };
  return {
    agent,
    refused: `The key that it was given, ${key}, was refused, unless it uses a login that it has kept.`,
    advice: `run \`mix agent agents login ${agent}\`, or ${replacement(key, definition, given)}`,
  };
}

function replacement(key: string, { name, env }: AgentDefinition, { passed, stored }: GivenValues): string {
  if (passed.includes(key)) return `replace the key, which the start passes on, with \`mix agent env set ${key}\``;
  const isConfigured = Object.hasOwn(env, key) && !stored.includes(key);
  if (isConfigured) return `replace the key in env of [agents.${name}] in agentd.toml`;
  return `replace the key with \`mix agent env set ${key} --agent ${name}\``;
}
