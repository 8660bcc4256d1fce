// SPDX-License-Identifier: MIT OR Apache-2.0
// Reading sessions and their logs, page by page.
import type { Entry, EntryKind, SessionPhase, TruncatedEntry } from "../agentd/vocabulary/entries.ts";
import type { LogPage, LogPiece, SessionSummary } from "../agentd/vocabulary/replies.ts";
import type { AgentBus } from "./bus.ts";
import { readWholeEntry } from "./follow/follow.ts";

export interface SessionFilter {
  readonly state?: SessionPhase[];
  readonly agent?: string;
  readonly cwd?: string;
}

export async function allSessions(bus: AgentBus, filter: SessionFilter): Promise<SessionSummary[]> {
  const sessions: SessionSummary[] = [];
  for (let after: string | undefined; ;) {
    const page = await bus.ask("agent.session.list", { ...filter, ...(after === undefined ? {} : { after }) });
    sessions.push(...page.sessions);
    if (page.next === undefined || page.next === after) return sessions;
    after = page.next;
  }
}

export interface LogFilter {
  readonly kinds?: EntryKind[];
  readonly turn?: number;
}

/** Entries after a `seq` or a cursor, whole, in order, to the log's present end. */
export async function* logEntries(
  bus: AgentBus,
  session: string,
  after: number | string,
  filter: LogFilter = {},
): AsyncGenerator<Entry, void, undefined> {
  for (let from = after; ;) {
    const page = (await bus.ask("agent.session.log", { session, after: from, ...filter })) as LogPage;
    for (const entry of page.entries) yield await whole(bus, session, entry);
    if (page.next === undefined || page.next === from) return;
    from = page.next;
  }
}

function whole(bus: AgentBus, session: string, entry: Entry | TruncatedEntry): Promise<Entry> | Entry {
  if (!("truncated" in entry)) return entry;
  return readWholeEntry(entry.seq, async (offset) => {
    return (await bus.ask("agent.session.log", { session, entry: entry.seq, offset })) as LogPiece;
  });
}
