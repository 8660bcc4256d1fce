// SPDX-License-Identifier: MIT OR Apache-2.0
// The process: its streams, its signals, its exit code. Everything else is in command-line.ts.
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCommandLine } from "./command-line.ts";
import type { Interrupts } from "./context.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { processOutput } from "../display/process-output.ts";
import { TextOutput } from "../display/text-output.ts";
import { version } from "./version.ts";

void main();

async function main(): Promise<void> {
  const out = processOutput("stdout", endedByReader);
  const words = processOutput("stderr", () => undefined);
  // What costs time to make is made when somebody asks for it: stdin, and the path of the daemon's program.
  const code = await runCommandLine({
    words: process.argv.slice(2),
    env: process.env,
    cwd: () => process.cwd(),
    home: process.env["HOME"] || process.getBuiltinModule("node:os").homedir(),
    uid: process.getuid?.() ?? -1,
    version,
    get stdin() {
      return process.stdin;
    },
    stdout: new TextOutput(out),
    stderr: new TextOutput(words),
    now: Date.now,
    random: Math.random,
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    get agentdProgram() {
      return join(dirname(realpathSync(process.argv[1] ?? ".")), "agentd.mjs");
    },
    nodeProgram: process.execPath,
    interrupts: interruptsOf(process),
  });
  // A forgotten handle must not keep the terminal, and what was written is to be with the kernel by then.
  out.flushed(() => process.exit(code));
}

/** A reader that left: no words, no stack, the number that `head` causes. */
function endedByReader(error: NodeJS.ErrnoException): void {
  process.exit(error.code === "EPIPE" ? exitCodeOf({ kind: "broken_pipe" }) : 1);
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
