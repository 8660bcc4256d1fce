// SPDX-License-Identifier: MIT OR Apache-2.0
// The process: its streams, its signals, its exit code. Everything else is in command-line.ts.
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { runCommandLine } from "./command-line.ts";
import type { Interrupts } from "./context.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { version } from "./version.ts";

void main();

async function main(): Promise<void> {
  // A reader that left: no words, no stack, the number that `head` causes.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? exitCodeOf({ kind: "broken_pipe" }) : 1);
  });
  process.stderr.on("error", () => undefined);
  const code = await runCommandLine({
    words: process.argv.slice(2),
    env: process.env,
    cwd: () => process.cwd(),
    home: homedir(),
    uid: process.getuid?.() ?? -1,
    version,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: Date.now,
    random: Math.random,
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    agentdProgram: join(dirname(realpathSync(process.argv[1] ?? ".")), "agentd.mjs"),
    nodeProgram: process.execPath,
    interrupts: interruptsOf(process),
  });
  // What was written is with the kernel by then; a forgotten handle must not keep the terminal.
  process.stdout.write("", () => process.exit(code));
}

/** SIGINT is listened to only once somebody asked for it; before that it ends the process as it does any other. */
function interruptsOf(source: NodeJS.Process): Interrupts {
  const listeners = new Set<() => void>();
  const raise = (): void => {
    if (listeners.size === 0) source.exit(exitCodeOf({ kind: "interrupted" }));
    for (const listener of Array.from(listeners)) listener();
  };
  let attached = false;
  return {
    raise,
    listen: (listener) => {
      if (!attached) source.on("SIGINT", raise);
      attached = true;
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
