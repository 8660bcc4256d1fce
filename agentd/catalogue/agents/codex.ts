// SPDX-License-Identifier: MIT OR Apache-2.0
import { published } from "./definition.ts";

export const codex = published({
  name: "codex",
  title: "Codex",
  command: ["codex-acp"],
  npmPackage: "@agentclientprotocol/codex-acp",
  // Otherwise it offers, and on a machine without a screen waits for, a login that opens a browser.
  env: { NO_BROWSER: "1" },
  loginArguments: ["login"],
  keyVariables: ["OPENAI_API_KEY", "CODEX_API_KEY"],
  // 2.6.0 takes a key from these variables only when it is told to log in.
  keyLogins: { "api-key": ["CODEX_API_KEY", "OPENAI_API_KEY"] },
  loginFile: ".codex/auth.json",
});
