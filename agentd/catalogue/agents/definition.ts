// SPDX-License-Identifier: MIT OR Apache-2.0
// What the catalogue knows of an agent: how it is started and installed, how a person logs in, and its quirks.
import type { AgentUpdate } from "../../../acp-client/model.ts";
import type { AgentQuirks, AgentSettings } from "../../config/settings.ts";
import type { AgentSigns } from "../../session/core/agent-signs.ts";

export interface AgentDefinition extends AgentSettings {
  readonly name: string;
  readonly title: string;
  /** The file that the program runs, for an agent that comes with agentd. */
  readonly ownFile?: string;
  readonly builtIn: boolean;
  /** `agentInfo.name` of its response to initialize: knows the agent by whatever command it is started. */
  readonly infoName?: string;
  /** The npm package of its program, whose package.json has the version. */
  readonly npmPackage?: string;
  readonly install: string | undefined;
  /** How a person logs in, outside of agentd. */
  readonly login?: string;
  /** Where the agent keeps a login, relative to the home directory, unless its own variables say otherwise. */
  readonly loginFile?: string;
  /** Each with the reason and the version in which it was seen. */
  readonly quirks?: BuiltInQuirks | undefined;
  /** Set for the demo agent only, which comes with agentd. */
  readonly version?: string;
}

/** The quirks of a built-in agent. Those that are functions cannot be configured. */
export interface BuiltInQuirks extends AgentQuirks {
  /** Reads what an update tells by the agent's own means, such as `_meta`. Pure. */
  readonly readSigns?: (update: AgentUpdate) => AgentSigns | undefined;
}

/** What all built-in agents have in common. */
export const builtInSettings = { env: {}, unset: [], protocol: 1, builtIn: true } as const;

interface PublishedAgent extends Pick<
  AgentDefinition,
  "name" | "title" | "command" | "login" | "loginFile" | "quirks"
> {
  readonly infoName: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly npmPackage: string;
  readonly needs?: string;
}

/** An agent that is published as an npm package. */
export function published({ needs, ...agent }: PublishedAgent): AgentDefinition {
  const install = `npm install --global ${agent.npmPackage}${needs === undefined ? "" : ` (needs ${needs})`}`;
  return { ...builtInSettings, ...agent, install };
}
