// SPDX-License-Identifier: MIT OR Apache-2.0
// The built-in agents. Each has a file of its own.
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import type { AgentDefinition } from "./agents/definition.ts";
import { demoAgent, type OwnPrograms } from "./agents/demo.ts";
import { gemini } from "./agents/gemini.ts";
import { opencode } from "./agents/opencode.ts";

/** Those that others publish. */
export const publishedAgents: readonly AgentDefinition[] = [claude, codex, gemini, opencode];

export function builtInAgents(own: OwnPrograms): readonly AgentDefinition[] {
  return [...publishedAgents, demoAgent(own)];
}
