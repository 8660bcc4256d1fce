// SPDX-License-Identifier: MIT OR Apache-2.0
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import type { ReadingBus } from "../../agent-client/requests/ask.ts";
import type { Invocation } from "../input/verb.ts";
import { howToWatch, type NextStep, nextStep } from "../view/next-step.ts";

/** Names the command to type next, to people only. The session is asked again: somebody else may have closed it. */
export async function sayNextStep(
  { output }: Pick<Invocation, "output">,
  bus: Pick<ReadingBus, "ask">,
  session: string,
): Promise<void> {
  await say(output, bus, session, nextStep);
}

/** Names the command that shows what a session does now. */
export async function sayHowToWatch(
  { output }: Pick<Invocation, "output">,
  bus: Pick<ReadingBus, "ask">,
  session: string,
): Promise<void> {
  await say(output, bus, session, howToWatch);
}

async function say(
  output: Invocation["output"],
  bus: Pick<ReadingBus, "ask">,
  session: string,
  step: (snapshot: SessionSnapshot) => NextStep | undefined,
): Promise<void> {
  if (output.mode !== "people") return;
  try {
    const words = step(await bus.ask("agent.session.get", { session }));
    if (words !== undefined) output.word(words.join(" "));
  } catch (error) {
    // It is a courtesy: without it the verb did all the same what it was to do.
    if (!(error instanceof AgentError)) throw error;
  }
}
