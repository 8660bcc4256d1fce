// SPDX-License-Identifier: MIT OR Apache-2.0
// Steps about the process: time, files, descriptors, child processes, exit.
import { appendFileSync, closeSync, existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { reexecute, spawnOffspring } from "./offspring.ts";
import { fillPlaceholders, type Play, type RunStep, type StepNamed } from "./play.ts";

type ProcessStepName =
  | "repeat"
  | "abortPrompt"
  | "waitMs"
  | "waitForFile"
  | "writeFile"
  | "exit"
  | "kill"
  | "close"
  | "stdin"
  | "spawn"
  | "reexecute";

export const processSteps: { readonly [Name in ProcessStepName]: RunStep<StepNamed<Name>> } = {
  repeat: async (step, play) => {
    for (let round = 0; round < step.repeat; round += 1) await play.run(step.do, play);
  },
  abortPrompt: (_step, play) => {
    play.conversation.promptOf(play.sessionId ?? play.conversation.lastSessionId)?.steps.abort();
  },
  waitMs: ({ waitMs }, play) => setTimeout(waitMs, undefined, { signal: play.signal }),
  waitForFile: ({ waitForFile }, play) => {
    const path = fillPlaceholders(waitForFile, play);
    return waitForFileToExist(typeof path === "string" ? path : waitForFile, play.signal);
  },
  writeFile: ({ writeFile, text = "\n" }) => appendFileSync(writeFile, text),
  exit: async ({ exit }, play) => {
    await play.output.flushed();
    process.exit(exit);
  },
  kill: async ({ kill }, play) => {
    await play.output.flushed();
    process.kill(process.pid, kill);
  },
  close: ({ close }, play) => (close === "stdin" ? closeInput(play) : play.output.close(close)),
  stdin: ({ stdin }, play) => void (stdin === "pause" ? play.input.pause() : play.input.resume()),
  spawn: (step) => spawnOffspring(step),
  reexecute: () => {
    if (reexecute()) process.exit(0);
  },
};

async function waitForFileToExist(path: string, signal: AbortSignal): Promise<void> {
  const pollMs = 5;
  const limitMs = 60_000;
  for (let waited = 0; !existsSync(path); waited += pollMs) {
    if (waited >= limitMs) throw new Error(`waited ${limitMs} ms for the file ${path}`);
    await setTimeout(pollMs, undefined, { signal });
  }
}

/** Also closes the descriptor, which Node keeps open: the writer would fill the pipe and never get EPIPE. */
function closeInput(play: Play): void {
  play.input.destroy();
  closeSync(0);
}
