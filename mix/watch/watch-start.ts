// SPDX-License-Identifier: MIT OR Apache-2.0
import type { Entry } from "../../agentd/vocabulary/entries.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import { done } from "../process/exit-codes.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { withSessionError } from "./watch-turn.ts";
import { reportFailure } from "./report-failure.ts";
import { endedOutcome } from "./turn-outcome.ts";
import type { Invocation } from "../input/verb.ts";
import { watchSession } from "./watch-session.ts";

/** Follows a starting session until it is idle, or has failed and the reason was reported. */
export async function watchStart(
  invocation: Invocation,
  bus: AgentBus,
  { session, after }: { readonly session: string; readonly after: number },
): Promise<Outcome> {
  const ended = await watchSession(invocation, bus, {
    session,
    after,
    showPrompts: false,
    reportsFailure: true,
    decide: readyOutcome,
  });
  const outcome = await withSessionError(bus, session, ended);
  reportFailure(invocation.output, session, outcome);
  return outcome;
}

function readyOutcome(entry: Entry): Outcome | undefined {
  if (entry.kind !== "state") return undefined;
  return entry.state === "idle" ? done : endedOutcome(entry);
}
