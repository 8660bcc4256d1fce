// SPDX-License-Identifier: MIT OR Apache-2.0
// What the catalogue knows of an agent: how it is started and installed, how a person logs in, and its quirks.
import type { AgentSettings } from "../../config/settings.ts";

export interface AgentDefinition extends AgentSettings {
  readonly name: string;
  readonly title: string;
  /** The file that the program runs, for an agent that comes with agentd. */
  readonly ownFile?: string;
  readonly builtIn: boolean;
  /** The npm package of its program, whose package.json has the version. */
  readonly npmPackage?: string;
  readonly install: string | undefined;
  /** How a person logs in, as a sentence that goes on from "To log in,". */
  readonly login?: string;
  /** Arguments with which the agent's program, in place of those of `command`, logs a person in at a terminal. */
  readonly loginArguments?: readonly string[];
  /** Environment variables, any of which can hold a key. */
  readonly keyVariables?: readonly string[];
  /** ACP login methods that ask nobody anything and open nothing if one of their variables is set. */
  readonly keyLogins?: Readonly<Record<string, readonly string[]>>;
  /** Where the agent keeps a login, relative to the home directory, unless its own variables say otherwise. */
  readonly loginFile?: string;
  readonly quirks?: AgentQuirks;
  /** Set for the demo agent only, which comes with agentd. */
  readonly version?: string;
}

/**
 * Where an agent does not do what ACP says or what people expect. Absent members mean that it does. Each one that an
 * agent has stands in its file with the reason and the versions that were seen.
 */
export interface AgentQuirks {
  /** A read of a missing file returns an empty text: after an error this agent cannot create the file. */
  readonly missingFileIsEmpty?: boolean;
}

/** What all built-in agents have in common. */
export const builtInSettings = { env: {}, unset: [], protocol: 1, builtIn: true } as const;

interface PublishedAgent extends Pick<
  AgentDefinition,
  "name" | "title" | "command" | "loginArguments" | "keyVariables" | "keyLogins" | "loginFile" | "quirks"
> {
  readonly env?: Readonly<Record<string, string>>;
  readonly npmPackage: string;
  readonly needs?: string;
}

/** An agent that is published as an npm package. */
export function published({ needs, ...agent }: PublishedAgent): AgentDefinition {
  const install = `npm install --global ${agent.npmPackage}${needs === undefined ? "" : ` (needs ${needs})`}`;
  return { ...builtInSettings, ...agent, install, login: loginAdvice(agent) };
}

/** For people who have `mix`: what they can type. */
export function loginAdvice({ name, keyVariables = [] }: Pick<AgentDefinition, "name" | "keyVariables">): string {
  const [variable] = keyVariables;
  const key = variable === undefined ? "" : `, or give it a key with \`mix agent env set ${variable} --agent ${name}\``;
  return `run \`mix agent agents login ${name}\`${key}`;
}
