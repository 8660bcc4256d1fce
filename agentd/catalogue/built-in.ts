// SPDX-License-Identifier: MIT OR Apache-2.0
// The built-in agents: how each is started, and how a person installs it.

export interface AgentDefinition {
  readonly name: string;
  /** For people. */
  readonly title: string;
  readonly command: readonly [string, ...string[]];
  /** The file that the program runs, for an agent that comes with agentd. */
  readonly ownFile?: string;
  /** Variables of the agent, which override those that it inherits. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that the agent does not get although it would inherit them or agentd sets them. */
  readonly unset?: readonly string[];
  readonly protocol: 1;
  /** Timeout of its response to `initialize`; undefined: the limit `initializeTimeoutMs`. */
  readonly startTimeoutMs: number | undefined;
  readonly builtIn: boolean;
  /** The npm package of its program, whose package.json has the version. */
  readonly npmPackage: string | undefined;
  /** How a person installs it. */
  readonly install: string | undefined;
  /** How a person logs in, outside of agentd. */
  readonly login: string | undefined;
  /** A read of a missing file returns an empty text: after an error this agent cannot create the file. */
  readonly missingFileIsEmpty?: true;
  /** Set for the demo agent only, which comes with agentd. */
  readonly version: string | undefined;
}

/** `nodeProgram` and `demoProgram` (the demo agent's built main.js) are absolute; `version` is agentd's own. */
export function builtInAgents(own: {
  readonly nodeProgram: string;
  readonly demoProgram: string;
  readonly version: string;
}): readonly AgentDefinition[] {
  return [
    published({
      name: "claude",
      title: "Claude Code",
      command: ["claude-agent-acp"],
      npmPackage: "@agentclientprotocol/claude-agent-acp",
      needs: "Node 22 or later",
      login: "run `claude` in a terminal and log in, or set ANTHROPIC_API_KEY",
    }),
    published({
      name: "codex",
      title: "Codex",
      command: ["codex-acp"],
      npmPackage: "@agentclientprotocol/codex-acp",
      login: "run `codex login` in a terminal, or set OPENAI_API_KEY",
    }),
    published({
      name: "gemini",
      title: "Gemini CLI",
      command: ["gemini", "--acp"],
      // Otherwise the CLI starts itself a second time, and neither process heeds SIGTERM.
      env: { GEMINI_CLI_NO_RELAUNCH: "true" },
      missingFileIsEmpty: true,
      npmPackage: "@google/gemini-cli",
      login: "run `gemini` in a terminal and log in, or set GEMINI_API_KEY",
    }),
    published({
      name: "opencode",
      title: "OpenCode",
      command: ["opencode", "acp"],
      npmPackage: "opencode-ai",
      login: "run `opencode auth login` in a terminal",
    }),
    {
      name: "demo",
      title: "Demo agent: needs no model and no key",
      command: [own.nodeProgram, own.demoProgram],
      ownFile: own.demoProgram,
      env: {},
      protocol: 1,
      startTimeoutMs: undefined,
      builtIn: true,
      npmPackage: undefined,
      install: "it comes with agentd; install agentd again",
      login: undefined,
      version: own.version,
    },
  ];
}

function published(agent: {
  readonly name: string;
  readonly title: string;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly missingFileIsEmpty?: true;
  readonly npmPackage: string;
  readonly needs?: string;
  readonly login: string;
}): AgentDefinition {
  const { needs, npmPackage, env = {}, ...rest } = agent;
  const install = `npm install --global ${npmPackage}${needs === undefined ? "" : ` (needs ${needs})`}`;
  return {
    ...rest,
    env,
    npmPackage,
    install,
    protocol: 1,
    startTimeoutMs: undefined,
    builtIn: true,
    version: undefined,
  };
}
