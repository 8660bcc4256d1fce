// SPDX-License-Identifier: MIT OR Apache-2.0
// What the catalogue knows of an agent: how it is started and installed, how a person logs in, and its quirks.
import type { AgentCapabilities, AgentUpdate } from "../../../acp-client/model.ts";
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
  /** The npm package of its program, whose package.json has the version, and the version that agentd installs. */
  readonly npmPackage?: string;
  readonly npmVersion?: string;
  /** Set if an install script would put the program in its place: agentd runs none. */
  readonly native?: NativeProgram;
  /** How it is installed, for people. */
  readonly install: string | undefined;
  /** How a person logs in, as a sentence that goes on from "To log in,". */
  readonly login?: string;
  /** Arguments with which the agent's program, in place of those of `command`, logs a person in at a terminal. */
  readonly loginArguments?: readonly string[];
  /** ACP login methods that only name that program: `authenticate` does nothing for them. */
  readonly terminalLogins?: readonly string[];
  /** Environment variables, any of which can hold a key. */
  readonly keyVariables?: readonly string[];
  /** ACP login methods that ask nobody anything and open nothing if one of their variables is set. */
  readonly keyLogins?: Readonly<Record<string, readonly string[]>>;
  /** Those of them that fail without such a variable. The first variable of each counts before its others. */
  readonly keyOnlyLogins?: readonly string[];
  /** Where the agent keeps a login. */
  readonly loginFile?: LoginFile;
  /** Each with the reason and the version in which it was seen. */
  readonly quirks?: BuiltInQuirks | undefined;
  /** The capabilities that a version of the agent does not report, by which a start of that version is judged. */
  readonly lacks?: { readonly version: string; readonly capabilities: readonly (keyof AgentCapabilities)[] };
  /** Finds what the agent would not say of itself when it starts in a directory. Reads files and changes nothing. */
  readonly findStartProblem?: (place: StartPlace) => StartProblem | undefined;
  /** Set for the demo agent only, which comes with agentd. */
  readonly version?: string;
}

export interface LoginFile {
  /** The agent's variable for the directory, which has a meaning only if it is not empty. */
  readonly variable: string;
  /** The directory without the variable, relative to the home directory. */
  readonly directory: string;
  /** Relative to the directory. */
  readonly file: string;
}

export interface NativeProgram {
  /** The packages that may contain the program for this platform, the best one first. */
  readonly packages: () => readonly string[];
  /** The program, relative to the package. */
  readonly file: string;
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

/** The quirks of a built-in agent. Those that are functions cannot be configured. */
export interface BuiltInQuirks extends AgentQuirks {
  /** Reads what an update tells by the agent's own means, such as `_meta`. Pure. */
  readonly readSigns?: (update: AgentUpdate) => AgentSigns | undefined;
  /** The name of a tool call's tool, for an agent that says it in the call's id alone. Pure. */
  readonly toolNameOf?: (toolCallId: string) => string | undefined;
}

/** What all built-in agents have in common. */
export const builtInSettings = { env: {}, unset: [], protocol: 1, builtIn: true } as const;

type PublishedAgent = Pick<
  AgentDefinition,
  | "name"
  | "title"
  | "command"
  | "loginArguments"
  | "terminalLogins"
  | "keyVariables"
  | "keyLogins"
  | "keyOnlyLogins"
  | "loginFile"
  | "quirks"
  | "lacks"
  | "findStartProblem"
  | "native"
> &
  Required<Pick<AgentDefinition, "infoName" | "npmPackage" | "npmVersion">> & {
    readonly env?: Readonly<Record<string, string>>;
  };

/** An agent that is published as an npm package. */
export function published(agent: PublishedAgent): AgentDefinition {
  const install = `mix agent agents install ${agent.name}`;
  return { ...builtInSettings, ...agent, install, login: loginAdvice(agent) };
}

/** For people who have `mix`: what they can type. */
export function loginAdvice({ name, keyVariables = [] }: Pick<AgentDefinition, "name" | "keyVariables">): string {
  const [variable] = keyVariables;
  const key = variable === undefined ? "" : `, or give it a key with \`mix agent env set ${variable} --agent ${name}\``;
  return `run \`mix agent agents login ${name}\`${key}`;
}
