// SPDX-License-Identifier: MIT OR Apache-2.0
import { published } from "./definition.ts";

export const opencode = published({
  name: "opencode",
  title: "OpenCode",
  command: ["opencode", "acp"],
  npmPackage: "opencode-ai",
  loginArguments: ["auth", "login"],
  loginFile: ".local/share/opencode/auth.json",
});
