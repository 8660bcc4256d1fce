// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Play, RunStep, StepObject } from "./play.ts";
import { processSteps } from "./process-steps.ts";
import type { Step } from "./scenario.ts";
import { speakingSteps } from "./speaking-steps.ts";

/** Runs the steps in order, synchronously until one has to wait. Throws when the play is aborted. */
export async function runSteps(steps: readonly Step[], play: Play): Promise<void> {
  for (const step of steps) {
    play.signal.throwIfAborted();
    const waiting = runStep(step, play);
    if (waiting) await waiting;
  }
}

type StepName = keyof typeof stepTable;

const stepTable = { ...speakingSteps, ...processSteps };

function runStep(step: Step, play: Play): Promise<void> | void {
  if (step === "default") return runSteps(play.correctSteps(), play);
  const name = Object.keys(stepTable).find((known) => known in step);
  if (name === undefined) throw new Error(`no such step: ${JSON.stringify(step)}`);
  // The member determines the step's type; the table's rows are type-checked where they are defined.
  return (stepTable[name as StepName] as RunStep<StepObject>)(step, play);
}
