// SPDX-License-Identifier: MIT OR Apache-2.0
import { commandIdFlag, type Invocation, type VerbSpec } from "../input/verb.ts";
import type { OutputMode } from "../process/output.ts";
import { sayNextStep } from "../watch/say-next-step.ts";
import { sessionReference } from "../references/session-reference.ts";

export const spec: VerbSpec = {
  usage: "agent cancel [session]",
  about: "Cancels the running turn and all queued turns. The session stays open.",
  flags: { turn: { kind: "text", value: "N", about: "only this turn", isMain: true }, ...commandIdFlag },
  examples: ["mix agent cancel abc"],
};

export async function run(invocation: Invocation): Promise<void> {
  const { args, output } = invocation;
  const turn = args.count("turn", 1);
  const bus = await invocation.connect("agentd");
  const reply = await bus.ask("agent.session.cancel", {
    session: await sessionReference(invocation, bus, args.positionals[0]),
    turn,
    command_id: args.text("id"),
  });
  if (output.mode === "json") await output.document("mix.cancelled.v1", reply);
  else for (const cancelled of reply.turns) await output.line(describe(cancelled, reply.session, output.mode));
  if (reply.turns.length === 0) output.word(`session ${reply.session} has no turn to cancel`);
  else await sayNextStep(invocation, bus, reply.session);
}

function describe(turn: number, session: string, mode: OutputMode): string {
  return mode === "ids" ? `${turn}` : `cancelling turn ${turn} of ${session}`;
}
