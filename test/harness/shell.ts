// SPDX-License-Identifier: MIT OR Apache-2.0
// A person's shell in a terminal, at a place of their own.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Place } from "./place.ts";
import { Terminal, type Window } from "./terminal.ts";

export { whyNoTmux } from "./terminal.ts";

export const builtMix = fileURLToPath(new URL("../../dist/bin/mix.cjs", import.meta.url));

/** The prompt, and the exit code of a command that failed. */
const settings = `PS1='$ '
PROMPT_COMMAND='__code=$?; [ $__code -eq 0 ] || echo "(exit $__code)"'
`;

export interface PersonsShell extends AsyncDisposable {
  readonly window: Window;
  /** Types a command on a cleared screen, and waits for what it shows. */
  run(command: string, wanted: string | RegExp): Promise<string>;
}

interface ShellOptions {
  readonly columns: number;
  readonly rows: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** agentd, which a command may have started, ends with the shell unless this is false. */
  readonly stopsAgentd?: boolean;
}

export async function openShell(
  place: Place,
  { environment = {}, stopsAgentd = true, ...size }: ShellOptions,
): Promise<PersonsShell> {
  const bin = join(place.home, "bin");
  for (const directory of [bin, join(place.home, "run"), join(place.home, "tmp")]) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }
  symlinkSync(builtMix, join(bin, "mix"));
  symlinkSync(process.execPath, join(bin, "node"));
  writeFileSync(join(place.home, ".bashrc"), settings);
  const env = { ...place.environment, ...environment, PATH: `${bin}:${environment["PATH"] ?? "/usr/bin:/bin"}` };
  const bash = execFileSync("/bin/sh", ["-c", "command -v bash"], { encoding: "utf8" }).trim();
  const terminal = await Terminal.open({
    ...size,
    environment: env,
    socket: join(place.home, "run", "tmux"),
    directory: place.directory("project"),
    shell: `${bash} --rcfile ${join(place.home, ".bashrc")}`,
  });
  const window = await terminal.firstWindow();
  await window.shows("$");
  return {
    window,
    async run(command, wanted) {
      await window.shows(/\$$/);
      await window.press("C-l");
      await window.shows(/^\$$/);
      await window.type(command);
      await window.press("Enter");
      return await window.shows(wanted);
    },
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      if (stopsAgentd) spawnSync(process.execPath, [builtMix, "agent", "stop"], { env, stdio: "ignore" });
    },
  };
}
