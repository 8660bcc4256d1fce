// SPDX-License-Identifier: MIT OR Apache-2.0
import { published } from "./definition.ts";

export const codex = published({
  name: "codex",
  title: "Codex",
  command: ["codex-acp"],
  npmPackage: "@agentclientprotocol/codex-acp",
  npmVersion: "2.6.0",
  login: "run `codex login` in a terminal, or set OPENAI_API_KEY",
  loginFile: ".codex/auth.json",
});
