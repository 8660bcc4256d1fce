// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Outcome } from "../process/exit-codes.ts";
import { sayNextStep } from "../watch/say-next-step.ts";
import { watchStart } from "../watch/watch-turn.ts";
import { commandIdFlag, type Invocation, type VerbSpec } from "../input/verb.ts";
import { sessionReference } from "../references/session-reference.ts";

export const spec: VerbSpec = {
  usage: "agent resume [session]",
  about:
    "Resumes an ended session as its agent supports it and returns when it is idle. With --fresh the agent begins a new session and gets the transcript of the old one.",
  flags: {
    fresh: { kind: "switch", about: "begin a new agent session with the transcript", isMain: true },
    ...commandIdFlag,
  },
  examples: ["mix agent resume abc"],
  sessions: "ended",
};

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args, output } = invocation;
  const bus = await invocation.connect("agentd");
  const reply = await bus.ask("agent.session.resume", {
    session: await sessionReference(invocation, bus, args.positionals[0], spec.sessions),
    fresh: args.switch("fresh"),
    command_id: args.text("id"),
  });
  const { session, seq } = reply;
  if (output.mode === "ids") await output.line(session);
  const outcome = await watchStart(invocation, bus, { session, after: seq - 1, noAsk: false });
  if (outcome.kind === "done" || outcome.kind === "ended") await sayNextStep(invocation, bus, session);
  return outcome;
}
