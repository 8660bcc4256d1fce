// SPDX-License-Identifier: MIT OR Apache-2.0
import { isEnded } from "../../agentd/vocabulary/entries.ts";
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";

type Named = Pick<SessionSnapshot, "session" | "name">;
export type NextStep = readonly [what: string, command: string];

/** The one command to type next. Undefined for a session that is closing, which has none yet. */
export function nextStep(
  session: Named & Pick<SessionSnapshot, "state" | "capabilities" | "agent_session_id">,
): NextStep | undefined {
  const { state, capabilities, agent_session_id: agentSession } = session;
  const who = nameOrId(session);
  if (state === "closing") return undefined;
  if (!isEnded(state)) return goOn(session);
  // It never came up: the log says why.
  if (agentSession === null) return ["to see why:", `mix agent log ${who}`];
  if (canResume(capabilities)) return ["to come back:", `mix agent send ${who} "…"`];
  return ["to begin anew:", `mix agent resume ${who} --fresh`];
}

export function goOn(session: Named): NextStep {
  return ["to go on:", `mix agent send ${nameOrId(session)} "…"`];
}

export function howToWatch(session: Named): NextStep {
  return ["to watch:", `mix agent attach ${nameOrId(session)}`];
}

/** Whether the agent said at its last run that it can bring its own session back. */
export function canResume(capabilities: SessionSnapshot["capabilities"]): boolean {
  return capabilities["resume"] === true || capabilities["load"] === true;
}

/** What people type for a session: its name says more, and leads to it as long as no newer session has the same one. */
export function nameOrId({ session, name }: Named): string {
  return name ?? session;
}
