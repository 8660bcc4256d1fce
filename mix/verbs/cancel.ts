// SPDX-License-Identifier: MIT OR Apache-2.0
import { commandIdFlag, type Invocation, type VerbSpec } from "../input/verb.ts";
import { sayNextStep } from "../watch/say-next-step.ts";
import { nameOf } from "../references/session-names.ts";
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
  const { session, turns } = reply;
  const called = output.mode === "people" ? await nameOf(bus, session) : session;
  if (output.mode === "json") await output.document("mix.cancelled.v1", reply);
  else if (output.mode === "ids") for (const cancelled of turns) await output.line(`${cancelled}`);
  else for (const cancelled of turns) await output.line(`cancelling turn ${cancelled} of ${called}`);
  if (turns.length === 0) output.word(`${called} has no turn to cancel`);
  else await sayNextStep(invocation, bus, session);
}
