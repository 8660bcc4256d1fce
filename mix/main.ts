// SPDX-License-Identifier: MIT OR Apache-2.0
// The process: streams, signals and exit code. Everything else is in command-line.ts.
import { fileURLToPath } from "node:url";
import { reportUnwritable, runCommandLine } from "./command-line.ts";
import type { Interrupt, Interrupts, JobControl } from "./process/context.ts";
import { exitCodeOf } from "./process/exit-codes.ts";
import { usageError } from "./process/mix-error.ts";
import { processOutput } from "../display/process-output.ts";
import { TextOutput } from "../display/text-output.ts";
import { ownBuild } from "../files/installed-build.ts";
import { homeDirectory } from "../files/home-directory.ts";

void main();

async function main(): Promise<void> {
  const out = processOutput("stdout", endedByReader);
  const words = processOutput("stderr", () => undefined);
  const interrupts = interruptsOf(process);
  const { version, build } = ownBuild(import.meta.url);
  const code = await runCommandLine({
    words: process.argv.slice(2),
    env: process.env,
    cwd: currentDirectory,
    home: homeDirectory(process.env),
    uid: process.getuid?.() ?? -1,
    version,
    build,
    // Opened on first use, as opening it makes it non-blocking for the shell that shares it, too.
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
    agentdProgram: fileURLToPath(new URL("../bin/agentd.cjs", import.meta.url)),
    nodeProgram: process.execPath,
    interrupts,
    jobControl: jobControlOf(process),
  });
  // Exits explicitly, as a forgotten handle would keep the process alive, but only after all output is written.
  out.flushed(() => process.exit(code === interruptedExit && interrupts.isTerminated() ? terminatedExit : code));
}

/** Ends the process: silently with 141 when the reader of stdout is gone, as with `| head`; else with an error. */
function endedByReader(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(exitCodeOf({ kind: "broken_pipe" }));
  const stderr = new TextOutput(processOutput("stderr", () => undefined));
  process.exit(reportUnwritable({ words: process.argv.slice(2), stderr }, error.message));
}

/** Throws a usage error for a directory that was removed. */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === "ENOENT" ? "it was removed" : (error as Error).message;
    throw usageError(`the current directory cannot be used: ${why}; change to another one`);
  }
}

/** Handles signals only once there is a listener; before that, they end the process by default. */
function interruptsOf(source: NodeJS.Process): Interrupts & { readonly isTerminated: () => boolean } {
  const listeners = new Set<(by: Interrupt) => void>();
  let isTerminated = false;
  const raised = (by: Interrupt): void => {
    isTerminated ||= by === "SIGTERM";
    if (listeners.size === 0) source.exit(isTerminated ? terminatedExit : interruptedExit);
    for (const listener of Array.from(listeners)) listener(by);
  };
  let attached = false;
  return {
    isTerminated: () => isTerminated,
    raise: () => raised("SIGINT"),
    listen: (listener) => {
      if (!attached) for (const signal of ["SIGINT", "SIGTERM"] as const) source.on(signal, raised);
      attached = true;
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Handles SIGTSTP and SIGCONT only while somebody listens; otherwise they have their default effect. */
function jobControlOf(source: NodeJS.Process): JobControl {
  const suspend = (): void => void source.kill(source.pid, "SIGTSTP");
  return {
    suspend,
    listen: ({ leave, enter }) => {
      let hasLeft = false;
      const onContinue = (): void => {
        hasLeft = false;
        enter();
      };
      const onStop = (): void => {
        hasLeft = true;
        leave();
        // Without a listener the signal stops this process.
        source.off("SIGTSTP", onStop);
        suspend();
        source.on("SIGTSTP", onStop);
        // It does not where no shell could continue it.
        setTimeout(() => hasLeft && onContinue(), stopMs);
      };
      source.on("SIGTSTP", onStop);
      source.on("SIGCONT", onContinue);
      source.on("exit", leave);
      return () => {
        hasLeft = false;
        source.off("SIGTSTP", onStop);
        source.off("SIGCONT", onContinue);
        source.off("exit", leave);
      };
    },
  };
}

/** A signal that stops the process has done so by then. */
const stopMs = 100;
const interruptedExit = exitCodeOf({ kind: "interrupted" });
/** 128 plus the number of SIGTERM. */
const terminatedExit = 143;
