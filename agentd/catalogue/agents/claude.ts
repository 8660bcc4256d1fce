// SPDX-License-Identifier: MIT OR Apache-2.0
import { published } from "./definition.ts";

export const claude = published({
  name: "claude",
  title: "Claude Code",
  command: ["claude-agent-acp"],
  npmPackage: "@agentclientprotocol/claude-agent-acp",
  needs: "Node 22 or later",
  login: "run `claude` in a terminal and log in, or set ANTHROPIC_API_KEY",
  loginFile: ".claude/.credentials.json",
  lacks: { version: "0.101.0", capabilities: ["promptAudio"] },
});
