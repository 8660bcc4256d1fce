// SPDX-License-Identifier: MIT OR Apache-2.0
// The built-in agents: how each is started, and how a person installs it.
import type { AgentSettings } from "../config/settings.ts";

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
  /** A read of a missing file returns an empty text: after an error this agent cannot create the file. */
  readonly missingFileIsEmpty?: true;
  /** Set for the demo agent only, which comes with agentd. */
  readonly version?: string;
}

/**
 * `nodeProgram`, `demoProgram` (the demo agent's built main.js) and `demoSessions` (where it keeps its sessions) are
 * absolute; `version` is agentd's own.
 */
export function builtInAgents(own: {
  readonly nodeProgram: string;
  readonly demoProgram: string;
  readonly demoSessions: string;
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
      loginFile: ".claude/.credentials.json",
    }),
    published({
      name: "codex",
      title: "Codex",
      command: ["codex-acp"],
      npmPackage: "@agentclientprotocol/codex-acp",
      login: "run `codex login` in a terminal, or set OPENAI_API_KEY",
      loginFile: ".codex/auth.json",
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
      loginFile: ".gemini/oauth_creds.json",
    }),
    published({
      name: "opencode",
      title: "OpenCode",
      command: ["opencode", "acp"],
      npmPackage: "opencode-ai",
      login: "run `opencode auth login` in a terminal",
      loginFile: ".local/share/opencode/auth.json",
    }),
    {
      name: "demo",
      title: "Demo agent: needs no model and no key",
      command: [own.nodeProgram, own.demoProgram, own.demoSessions],
      ownFile: own.demoProgram,
      ...builtInSettings,
      install: "it comes with agentd; install agentd again",
      version: own.version,
    },
  ];
}

const builtInSettings = { env: {}, unset: [], protocol: 1, builtIn: true } as const;

interface PublishedAgent extends Pick<
  AgentDefinition,
  "name" | "title" | "command" | "login" | "loginFile" | "missingFileIsEmpty"
> {
  readonly env?: Readonly<Record<string, string>>;
  readonly npmPackage: string;
  readonly needs?: string;
}

function published({ needs, ...agent }: PublishedAgent): AgentDefinition {
  const install = `npm install --global ${agent.npmPackage}${needs === undefined ? "" : ` (needs ${needs})`}`;
  return { ...builtInSettings, ...agent, install };
}
