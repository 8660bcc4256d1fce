// SPDX-License-Identifier: MIT OR Apache-2.0
import { done, type Outcome } from "../process/exit-codes.ts";
import { MixError } from "../process/mix-error.ts";
import { endedOutcome } from "../watch/turn-outcome.ts";
import { commandIdFlag, type Invocation, type VerbSpec } from "../input/verb.ts";
import { sayNextStep } from "../watch/say-next-step.ts";
import { watchSession } from "../watch/watch-session.ts";
import { nameOf } from "../references/session-names.ts";
import { sessionReference } from "../references/session-reference.ts";

export const spec: VerbSpec = {
  usage: "agent close [session]",
  about: "Closes a session: ends its agent and returns when it has ended. The log stays.",
  flags: commandIdFlag,
  examples: ["mix agent close abc"],
};

export async function run(invocation: Invocation): Promise<Outcome> {
  const { args, output } = invocation;
  const bus = await invocation.connect("agentd");
  const reply = await bus.ask("agent.session.close", {
    session: await sessionReference(invocation, bus, args.positionals[0]),
    command_id: args.text("id"),
  });
  const { session, seq } = reply;
  // Entries are followed but not shown, because only the final state is of interest.
  const outcome = await watchSession(invocation, bus, {
    session,
    after: seq - 1,
    showPrompts: false,
    shows: () => false,
    decide: (entry) => (entry.kind === "state" ? endedOutcome(entry) : undefined),
  });
  if (outcome.kind !== "ended") return outcome;
  const { state } = outcome;
  if (state !== "closed")
    throw new MixError("SESSION_STATE", `session ${session} is ${state}`, { details: { session } });
  if (output.mode === "json") await output.document("mix.closed.v1", { ...reply, state });
  else await output.line(output.mode === "ids" ? session : `${await nameOf(bus, session)} closed`);
  await sayNextStep(invocation, bus, session);
  return done;
}
