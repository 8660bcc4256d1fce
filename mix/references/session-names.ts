// SPDX-License-Identifier: MIT OR Apache-2.0
import { livePhases } from "../../agentd/vocabulary/entries.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import type { ReadingBus } from "../../agent-client/requests/ask.ts";
import { listSessions } from "../../agent-client/requests/sessions.ts";
import { nameOrId } from "../view/next-step.ts";

/** What people call the live sessions, by id. */
export async function sessionNames(bus: Pick<ReadingBus, "ask">): Promise<ReadonlyMap<string, string>> {
  const sessions = await listSessions(bus, { state: [...livePhases] });
  return new Map(sessions.map((one) => [one.session, nameOrId(one)]));
}

/** What people call a session. */
export async function nameOf(bus: Pick<ReadingBus, "ask">, session: string): Promise<string> {
  try {
    return nameOrId(await bus.ask("agent.session.get", { session }));
  } catch (error) {
    // It is a courtesy: the verb has done what it was to do.
    if (error instanceof AgentError) return session;
    throw error;
  }
}
