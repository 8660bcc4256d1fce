// SPDX-License-Identifier: MIT OR Apache-2.0
// Looks for the login that an agent has kept, in the place that its environment names.
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { packageOf } from "../../files/installed-build.ts";
import type { CatalogueEntry } from "../vocabulary/index.ts";
import type { AgentDefinition } from "./agents/definition.ts";
import { publishedAgents } from "./built-in.ts";

/** The environment of the agent's processes. */
export type EnvironmentOf = (agent: AgentDefinition) => Readonly<Record<string, string>>;

/**
 * `program`: the agent's program that was found. Nothing is known of a program that is no built-in agent's, of a relative
 * directory, which each session has elsewhere, and of an agent that needs no login, as it has a key.
 */
export function storedLogin(
  agent: AgentDefinition,
  program: string,
  { environmentOf, home }: { readonly environmentOf: EnvironmentOf; readonly home: string },
): Pick<CatalogueEntry, "login_stored" | "login_file"> {
  const { loginFile, keyVariables = [] } = agent.builtIn ? agent : (publishedBy(program) ?? {});
  if (loginFile === undefined) return {};
  const environment = environmentOf(agent);
  const named = environment[loginFile.variable] || join(environment["HOME"] || home, loginFile.directory);
  const file = join(named, loginFile.file);
  const isThere = isAbsolute(named) && existsSync(file);
  const hasKey = keyVariables.some((name) => environment[name]);
  return isAbsolute(named) && (isThere || !hasKey) ? { login_stored: isThere, login_file: file } : {};
}

/** A configured agent may run the program of a built-in one, with an account of its own. */
function publishedBy(program: string): AgentDefinition | undefined {
  return publishedAgents.find(({ npmPackage = "" }) => packageOf(program, npmPackage) !== undefined);
}
