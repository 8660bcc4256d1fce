// SPDX-License-Identifier: MIT OR Apache-2.0
import { isEnded } from "../../agentd/vocabulary/entries.ts";
import type { SessionSnapshot } from "../../agentd/vocabulary/replies.ts";

/** The one command to type next. Undefined for a session that is closing, which has none yet. */
export function nextStep({
  session,
  state,
  capabilities,
  agent_session_id: agentSession,
}: Pick<SessionSnapshot, "session" | "state" | "capabilities" | "agent_session_id">): string | undefined {
  if (state === "closing") return undefined;
  if (!isEnded(state)) return `continue: mix agent send ${session} "…"`;
  // It never came up: the log says why.
  if (agentSession === null) return `what happened: mix agent log ${session}`;
  const canResume = capabilities["resume"] === true || capabilities["load"] === true;
  return `continue: mix agent resume ${session}${canResume ? "" : " --fresh"}`;
}
