// SPDX-License-Identifier: MIT OR Apache-2.0
// What the catalogue knows of an agent: how it is started and installed, how a person logs in, and its quirks.
import type { AgentSettings } from "../../config/settings.ts";

export interface AgentDefinition extends AgentSettings {
  readonly name: string;
  readonly title: string;
  /** The file that the program runs, for an agent that comes with agentd. */
  readonly ownFile?: string;
  readonly builtIn: boolean;
  /** The npm package of its program, whose package.json has the version, and the version that agentd installs. */
  readonly npmPackage?: string;
  readonly npmVersion?: string;
  /** Set if an install script would put the program in its place: agentd runs none. */
  readonly native?: NativeProgram;
  /** How it is installed, for people. */
  readonly install: string | undefined;
  /** How a person logs in, outside of agentd. */
  readonly login?: string;
  /** Where the agent keeps a login, relative to the home directory, unless its own variables say otherwise. */
  readonly loginFile?: string;
  readonly quirks?: AgentQuirks;
  /** Set for the demo agent only, which comes with agentd. */
  readonly version?: string;
}

export interface NativeProgram {
  /** The packages that may contain the program for this platform, the best one first. */
  readonly packages: () => readonly string[];
  /** The program, relative to the package. */
  readonly file: string;
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

type PublishedAgent = Pick<
  AgentDefinition,
  "name" | "title" | "command" | "login" | "loginFile" | "quirks" | "native"
> &
  Required<Pick<AgentDefinition, "npmPackage" | "npmVersion">> & { readonly env?: Readonly<Record<string, string>> };

/** An agent that is published as an npm package. */
export function published(agent: PublishedAgent): AgentDefinition {
  return { ...builtInSettings, ...agent, install: `mix agent agents install ${agent.name}` };
}
