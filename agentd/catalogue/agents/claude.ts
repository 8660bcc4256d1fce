// SPDX-License-Identifier: MIT OR Apache-2.0
import { published } from "./definition.ts";

export const claude = published({
  name: "claude",
  title: "Claude Code",
  command: ["claude-agent-acp"],
  npmPackage: "@agentclientprotocol/claude-agent-acp",
  needs: "Node 22 or later",
  // It offers terminal methods itself; this is the login of older versions, within its own interface.
  loginArguments: ["--cli", "/login"],
  keyVariables: ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"],
  loginFile: ".claude/.credentials.json",
});
