// SPDX-License-Identifier: MIT OR Apache-2.0
import { isEnded } from "../../agentd/vocabulary/entries.ts";
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";

type Session = Pick<SessionSnapshot, "session" | "name" | "state" | "capabilities" | "agent_session_id">;

/** The one command to type next. Undefined for a session that is closing, which has none yet. */
export function nextStep(session: Session): string | undefined {
  const { state, capabilities, agent_session_id: agentSession } = session;
  const who = nameOrId(session);
  if (state === "closing") return undefined;
  if (!isEnded(state)) return `to go on: mix agent send ${who} "…"`;
  // It never came up: the log says why.
  if (agentSession === null) return `what happened: mix agent log ${who}`;
  const canResume = capabilities["resume"] === true || capabilities["load"] === true;
  return canResume ? `to come back: mix agent send ${who} "…"` : `to begin anew: mix agent resume ${who} --fresh`;
}

/** What people type for a session: its name says more, and leads to it as long as no newer session has the same one. */
export function nameOrId({ session, name }: Pick<SessionSnapshot, "session" | "name">): string {
  return name ?? session;
}
