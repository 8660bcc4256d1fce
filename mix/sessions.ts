// SPDX-License-Identifier: MIT OR Apache-2.0
// Reading sessions, page by page.
import type { SessionPhase } from "../agentd/vocabulary/entries.ts";
import type { SessionSummary } from "../agentd/vocabulary/replies.ts";
import type { ReadingBus } from "./bus.ts";

export interface SessionFilter {
  readonly state?: SessionPhase[];
  readonly agent?: string;
  readonly cwd?: string;
}

export async function allSessions(bus: ReadingBus, filter: SessionFilter): Promise<SessionSummary[]> {
  const sessions: SessionSummary[] = [];
  for (let after: string | undefined; ;) {
    const page = await bus.ask("agent.session.list", { ...filter, ...(after === undefined ? {} : { after }) });
    sessions.push(...page.sessions);
    if (page.next === undefined || page.next === after) return sessions;
    after = page.next;
  }
}
