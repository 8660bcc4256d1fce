// SPDX-License-Identifier: MIT OR Apache-2.0
// The built-in agents. Each has a file of its own.
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import type { AgentDefinition } from "./agents/definition.ts";
import { demoAgent, type OwnPrograms } from "./agents/demo.ts";
import { gemini } from "./agents/gemini.ts";
import { opencode } from "./agents/opencode.ts";

export function builtInAgents(own: OwnPrograms): readonly AgentDefinition[] {
  return [claude, codex, gemini, opencode, demoAgent(own)];
}
