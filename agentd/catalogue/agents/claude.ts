// SPDX-License-Identifier: MIT OR Apache-2.0
import { published } from "./definition.ts";

export const claude = published({
  name: "claude",
  title: "Claude Code",
  command: ["claude-agent-acp"],
  npmPackage: "@agentclientprotocol/claude-agent-acp",
  npmVersion: "0.101.0",
  login: "run `claude` in a terminal and log in, or set ANTHROPIC_API_KEY",
  loginFile: ".claude/.credentials.json",
});
