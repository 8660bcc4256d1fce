// SPDX-License-Identifier: MIT OR Apache-2.0
// What the catalogue knows of an agent: how it is started and installed, how a person logs in, and its quirks.
import type { AgentCapabilities } from "../../../acp-client/model.ts";
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
  /** How a person logs in, outside of agentd. */
  readonly login?: string;
  /** Where the agent keeps a login, relative to the home directory, unless its own variables say otherwise. */
  readonly loginFile?: string;
  readonly quirks?: AgentQuirks;
  /** The capabilities that a version of the agent does not report, by which a start of that version is judged. */
  readonly lacks?: { readonly version: string; readonly capabilities: readonly (keyof AgentCapabilities)[] };
  /** Finds what the agent would not say of itself when it starts in a directory. Reads files and changes nothing. */
  readonly findStartProblem?: (place: StartPlace) => StartProblem | undefined;
  /** Set for the demo agent only, which comes with agentd. */
  readonly version?: string;
}

export interface StartPlace {
  readonly cwd: string;
  /** The user's home directory, unless the agent's environment names another one. */
  readonly home: string;
  /** The agent's environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface StartProblem {
  readonly title: string;
  /** The consequences, and what to do. */
  readonly description: string;
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
  "name" | "title" | "command" | "login" | "loginFile" | "quirks" | "lacks" | "findStartProblem"
> {
  readonly env?: Readonly<Record<string, string>>;
  readonly npmPackage: string;
  readonly needs?: string;
}

/** An agent that is published as an npm package. */
export function published({ needs, ...agent }: PublishedAgent): AgentDefinition {
  const install = `npm install --global ${agent.npmPackage}${needs === undefined ? "" : ` (needs ${needs})`}`;
  return { ...builtInSettings, ...agent, install };
}
