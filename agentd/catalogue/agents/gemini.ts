// SPDX-License-Identifier: MIT OR Apache-2.0
import { findTrustProblem } from "./gemini-trust.ts";
import { published } from "./definition.ts";

export const gemini = published({
  name: "gemini",
  title: "Gemini CLI",
  command: ["gemini", "--acp"],
  infoName: "gemini-cli",
  // Otherwise the CLI starts itself a second time, and neither process heeds SIGTERM.
  // Without a browser it prints the page's address.
  env: { GEMINI_CLI_NO_RELAUNCH: "true", NO_BROWSER: "true" },
  npmPackage: "@google/gemini-cli",
  npmVersion: "0.61.0",
  // Its interface asks how to log in when it starts.
  loginArguments: [],
  keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  keyLogins: { "gemini-api-key": ["GEMINI_API_KEY"], "vertex-ai": ["GOOGLE_API_KEY"] },
  loginFile: { variable: "GEMINI_CLI_HOME", directory: "", file: ".gemini/oauth_creds.json" },
  quirks: {
    // 0.61.0: after an error of fs/read_text_file its write tool fails with "[object Object]".
    missingFileIsEmpty: true,
    // 0.61.0: a text chunk in place of current_mode_update.
    modeMessagePrefix: "[MODE_UPDATE] ",
    // 0.61.0: a load writes a second file of the session, or empties the one of the same minute. Another load then finds
    // no conversation.
    loadOnce: true,
    // 0.61.0: the end of its stdin does nothing. SIGTERM works at once without the second process.
    stopGraceMs: 0,
    // 0.61.0: the title of an MCP call is its arguments alone; its id is `mcp_<server>_<tool>__<number>`.
    toolNameOf: (id) => /^(mcp_.+)__/su.exec(id)?.[1],
  },
  findStartProblem: findTrustProblem,
  lacks: { version: "0.61.0", capabilities: ["additionalDirectories"] },
});
