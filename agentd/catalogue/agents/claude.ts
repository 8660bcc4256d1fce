// SPDX-License-Identifier: MIT OR Apache-2.0
import type { AgentUpdate } from "../../../acp-client/model.ts";
import { isIdentifier } from "../../../acp-client/schema/lenient.ts";
import { isRecord } from "../../../json/record.ts";
import type { AgentSigns } from "../../session/core/agent-signs.ts";
import { published } from "./definition.ts";

export const claude = published({
  name: "claude",
  title: "Claude Code",
  command: ["claude-agent-acp"],
  infoName: "@agentclientprotocol/claude-agent-acp",
  npmPackage: "@agentclientprotocol/claude-agent-acp",
  npmVersion: "0.101.0",
  // It offers terminal methods itself; this is the login of older versions, within its own interface.
  loginArguments: ["--cli", "/login"],
  keyVariables: ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"],
  loginFile: { variable: "CLAUDE_CONFIG_DIR", directory: ".claude", file: ".credentials.json" },
  quirks: {
    // 0.101.0: a sub-agent works in the session of its parent; its updates name the tool call that started it.
    readSigns,
  },
  lacks: { version: "0.101.0", capabilities: ["promptAudio"] },
});

function readSigns(update: AgentUpdate): AgentSigns | undefined {
  const meta = update.kind === "tool_call" ? update.call.meta : update.kind === "message" ? update.meta : undefined;
  if (!isRecord(meta) || !isRecord(meta["claudeCode"])) return undefined;
  const { parentToolUseId: parentToolCall } = meta["claudeCode"];
  return isIdentifier(parentToolCall) && parentToolCall !== "" ? { parentToolCall } : undefined;
}
