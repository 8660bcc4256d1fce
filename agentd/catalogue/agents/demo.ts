// SPDX-License-Identifier: MIT OR Apache-2.0
import { type AgentDefinition, builtInSettings } from "./definition.ts";

/**
 * The agent that comes with agentd. `nodeProgram`, `demoProgram` (its built main.js) and `demoSessions` (where it keeps
 * its sessions) are absolute; `version` is agentd's own.
 */
export interface OwnPrograms {
  readonly nodeProgram: string;
  readonly demoProgram: string;
  readonly demoSessions: string;
  readonly version: string;
}

export function demoAgent(own: OwnPrograms): AgentDefinition {
  return {
    name: "demo",
    title: "Demo agent: needs no model and no key",
    command: [own.nodeProgram, own.demoProgram, own.demoSessions],
    ownFile: own.demoProgram,
    ...builtInSettings,
    install: "it comes with agentd; install agentd again",
    version: own.version,
    lacks: {
      version: own.version,
      capabilities: ["additionalDirectories", "promptImage", "promptAudio", "mcpHttp", "mcpSse"],
    },
  };
}
