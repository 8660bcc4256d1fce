// SPDX-License-Identifier: MIT OR Apache-2.0
import type { AgentDefinition } from "./agents/definition.ts";

/**
 * The ACP login methods that agentd may use by itself: those that need a key, if the agent's environment has one, and the
 * one that several agents have for a login that they stored. Any other may open a browser or wait for a person.
 */
export function quietLogins(
  { keyLogins = {} }: Pick<AgentDefinition, "keyLogins"> = {},
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const withKey = Object.entries(keyLogins).filter(([, variables]) => variables.some((name) => environment[name]));
  return [...withKey.map(([method]) => method), "cached_token"];
}

/** The ACP login methods that would fail, as the agent's environment has no key, each with the variable to set. */
export function keylessLogins(
  { keyLogins = {}, keyOnlyLogins = [] }: Pick<AgentDefinition, "keyLogins" | "keyOnlyLogins"> = {},
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const needed = keyOnlyLogins.flatMap((method) => {
    const [first, ...others] = keyLogins[method] ?? [];
    const hasKey = [first, ...others].some((name) => name !== undefined && environment[name]);
    return first === undefined || hasKey ? [] : [[method, first] as const];
  });
  return new Map(needed);
}
