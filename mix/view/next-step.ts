// SPDX-License-Identifier: MIT OR Apache-2.0
import { isEnded } from "../../agentd/vocabulary/entries.ts";
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";

export type NextStep = readonly [what: string, command: string];

/** The one command to type next. Undefined for a session that is closing, which has none yet. */
export function nextStep({
  session,
  state,
  capabilities,
  agent_session_id: agentSession,
}: Pick<SessionSnapshot, "session" | "state" | "capabilities" | "agent_session_id">): NextStep | undefined {
  if (state === "closing") return undefined;
  if (!isEnded(state)) return goOn(session);
  // It never came up: the log says why.
  if (agentSession === null) return ["to see why:", `mix agent log ${session}`];
  return ["to come back:", `mix agent resume ${session}${canResume(capabilities) ? "" : " --fresh"}`];
}

export function goOn(session: string): NextStep {
  return ["to go on:", `mix agent send ${session} "…"`];
}

/** Whether the agent said at its last run that it can bring its own session back. */
export function canResume(capabilities: SessionSnapshot["capabilities"]): boolean {
  return capabilities["resume"] === true || capabilities["load"] === true;
}
