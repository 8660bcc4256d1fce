// SPDX-License-Identifier: MIT OR Apache-2.0
import { AgentError } from "../../agent-client/agent-error.ts";
import type { ReadingBus } from "../../agent-client/requests/ask.ts";
import type { Invocation } from "../input/verb.ts";
import { nextStep } from "../view/next-step.ts";

/** Names the command to type next, to people only. The session is asked again: somebody else may have closed it. */
export async function sayNextStep(
  { output }: Pick<Invocation, "output">,
  bus: Pick<ReadingBus, "ask">,
  session: string,
): Promise<void> {
  if (output.mode !== "people") return;
  try {
    const step = nextStep(await bus.ask("agent.session.get", { session }));
    if (step !== undefined) output.word(step.join(" "));
  } catch (error) {
    // It is a courtesy: without it the verb did all the same what it was to do.
    if (!(error instanceof AgentError)) throw error;
  }
}
