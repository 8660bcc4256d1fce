// SPDX-License-Identifier: MIT OR Apache-2.0
import { published } from "./definition.ts";

export const opencode = published({
  name: "opencode",
  title: "OpenCode",
  command: ["opencode", "acp"],
  infoName: "OpenCode",
  npmPackage: "opencode-ai",
  login: "run `opencode auth login` in a terminal",
  loginFile: ".local/share/opencode/auth.json",
  lacks: { version: "1.18.33", capabilities: ["additionalDirectories", "promptAudio"] },
});
