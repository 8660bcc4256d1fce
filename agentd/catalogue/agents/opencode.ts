// SPDX-License-Identifier: MIT OR Apache-2.0
import { readFileSync } from "node:fs";
import { attempt } from "../../../files/attempt.ts";
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
  loginFile: ".local/share/opencode/auth.json",
  lacks: { version: "1.18.33", capabilities: ["additionalDirectories", "promptAudio"] },
});

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
