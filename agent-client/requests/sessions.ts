// SPDX-License-Identifier: MIT OR Apache-2.0
import type { SessionPhase } from "../../agentd/vocabulary/entries.ts";
import type { SessionSummary } from "../../agentd/vocabulary/replies.ts";
import { paginate } from "../../bus-client/index.ts";
import type { ReadingBus } from "./ask.ts";

export interface SessionFilter {
  readonly state?: SessionPhase[] | undefined;
  readonly agent?: string | undefined;
  readonly cwd?: string | undefined;
}

export async function listSessions(bus: Pick<ReadingBus, "ask">, filter: SessionFilter): Promise<SessionSummary[]> {
  const sessions: SessionSummary[] = [];
  const pages = paginate({
    read: (after: string | undefined) => bus.ask("agent.session.list", { ...filter, after }),
    next: (page) => page.next,
  });
  for await (const page of pages) sessions.push(...page.sessions);
  return sessions;
}
