// SPDX-License-Identifier: MIT OR Apache-2.0
// The environment of every process of an agent: of a session, of a login, or of the agent's own login program.
import type { AgentDefinition } from "./agents/definition.ts";
import type { PassedValues } from "./passed-values.ts";
import { type AgentEnvironment, agentEnvironment } from "./environment.ts";
import { trustedSearchPath } from "./search-path.ts";

export interface EnvironmentSource extends Pick<AgentEnvironment, "marker" | "isInTerminal"> {
  /** agentd's own environment, and the home directory of its user. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Names that an agent gets only if a start passes them on. */
  readonly allowEnv: readonly string[];
  /** The values that are stored for the agent, and those that the start passes on. */
  readonly values: Readonly<Record<string, string>>;
  /** They decide nothing on the PATH. */
  readonly sessionDirectories?: readonly string[];
  readonly temporaryDirectory?: string;
}

export function processEnvironment(
  { env, unset }: Pick<AgentDefinition, "env" | "unset">,
  { environment, home, allowEnv, values, sessionDirectories = [], temporaryDirectory, ...how }: EnvironmentSource,
): Record<string, string> {
  const path = environment["PATH"];
  const parent = {
    ...environment,
    ...(path === undefined ? {} : { PATH: trustedSearchPath(path, { home, sessionDirectories }) }),
    ...(temporaryDirectory === undefined ? {} : { TMPDIR: temporaryDirectory }),
  };
  return agentEnvironment({ parent, agent: env, unset, passed: values, onlyWhenPassed: allowEnv, ...how });
}

/** The environment of an agent's processes outside sessions. Without the values of the agent if they cannot be read. */
export function environmentWithStored(
  agent: AgentDefinition,
  { stored, ...source }: Omit<EnvironmentSource, "values"> & { readonly stored: PassedValues },
): Record<string, string> {
  return processEnvironment(agent, { ...source, values: stored.ok ? stored.values : {} });
}
