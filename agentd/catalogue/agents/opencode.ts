// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync } from "node:fs";
import type { AgentUpdate } from "../../../acp-client/model.ts";
import { attempt } from "../../../files/attempt.ts";
import type { AgentSigns } from "../../session/core/agent-signs.ts";
import { published } from "./definition.ts";

export const opencode = published({
  name: "opencode",
  title: "OpenCode",
  command: ["opencode", "acp"],
  infoName: "OpenCode",
  npmPackage: "opencode-ai",
  npmVersion: "1.18.33",
  native: { packages: nativePackages, file: "bin/opencode" },
  loginArguments: ["auth", "login"],
  // 1.18.33 answers `authenticate` and does nothing.
  terminalLogins: ["opencode-login"],
  loginFile: { variable: "XDG_DATA_HOME", directory: ".local/share", file: "opencode/auth.json" },
  quirks: {
    // 1.18.33: the permissions of a sub-agent's calls are asked of nobody, and its updates are not passed on.
    readSigns,
  },
  lacks: { version: "1.18.33", capabilities: ["additionalDirectories", "promptAudio"] },
});

/** A call is announced by the name of its tool. */
function readSigns(update: AgentUpdate): AgentSigns | undefined {
  if (update.kind !== "tool_call" || update.call.title !== "task") return undefined;
  const why =
    "OpenCode passes no question of a sub-agent on; one that needs a permission waits until you cancel the turn";
  return { mayHang: { toolCallId: update.call.toolCallId, why } };
}

/** As its install script chooses: a processor without AVX2 needs the baseline build. npm installs those for the libc. */
function nativePackages(): readonly string[] {
  const name = `opencode-${process.platform}-${process.arch}`;
  const plain = [name, `${name}-musl`];
  const baseline = [`${name}-baseline`, `${name}-baseline-musl`];
  return hasAvx2() ? [...plain, ...baseline] : [...baseline, ...plain];
}

function hasAvx2(): boolean {
  if (process.arch !== "x64" || process.platform !== "linux") return true;
  return /\savx2\s/u.test(attempt(() => readFileSync("/proc/cpuinfo", "utf8")) ?? "");
}
