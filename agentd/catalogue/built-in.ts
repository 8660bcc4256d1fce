// SPDX-License-Identifier: MIT OR Apache-2.0
// The agents that agentd knows without being told: how each is started, and how a person gets it.

export interface AgentDefinition {
  readonly name: string;
  /** For people. */
  readonly title: string;
  readonly command: readonly [string, ...string[]];
  /** Of an agent that comes with agentd: what its program runs. */
  readonly ownFile?: string;
  /** Its own variables, over those that agentd passes down. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that it does not get, though agentd passes them down or sets them. */
  readonly unset?: readonly string[];
  readonly protocol: 1;
  /** How long its answer to initialize may take; undefined: `initializeTimeoutMs` of the limits. */
  readonly startTimeoutMs: number | undefined;
  readonly builtIn: boolean;
  /** The package that its program comes from; its package.json tells the version. */
  readonly npmPackage: string | undefined;
  /** How a person gets it. */
  readonly install: string | undefined;
  /** How a person logs in, outside of agentd. */
  readonly login: string | undefined;
  /** It takes an error for a file that is not there as a failure, and can make no new file then: it is told an empty text. */
  readonly missingFileIsEmpty?: true;
  /** Known without looking: the demo agent's, which comes with agentd. */
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
      // Without it the CLI starts itself a second time, and neither of the two heeds SIGTERM.
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
