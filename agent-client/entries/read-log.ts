// SPDX-License-Identifier: MIT OR Apache-2.0
import { type Entry, type EntryKind, isTruncated, type TruncatedEntry } from "../../agentd/vocabulary/entries.ts";
import type { LogPage, LogPiece, SessionSnapshot } from "../../agentd/vocabulary/replies.ts";
import { paginate } from "../../bus-client/index.ts";
import type { ReadingBus } from "../requests/ask.ts";
import { readWholeEntry } from "./follow.ts";

export interface LogFilter {
  /** Only entries before this `seq`. */
  readonly before?: number | undefined;
  readonly kinds?: EntryKind[] | undefined;
  readonly turn?: number | undefined;
}

/** Yields whole entries after a `seq` or a cursor, in order, up to `before` or the present end of the log. */
export async function* logEntries(
  bus: ReadingBus,
  session: string,
  after: number | string,
  filter: LogFilter = {},
): AsyncGenerator<Entry, void, undefined> {
  const pages = paginate({
    read: async (from: number | string = after) =>
      (await bus.ask("agent.session.log", { session, after: from, ...filter })) as LogPage,
    next: (page) => page.next,
    first: after,
  });
  for await (const page of pages) for (const entry of page.entries) yield await whole(bus, session, entry);
}

/** Returns the seq before the last turn's first entry, for a view that begins with that turn. */
export async function lastTurnStart(
  bus: Pick<ReadingBus, "ask">,
  { session, running, turns }: Pick<SessionSnapshot, "session" | "running" | "turns">,
): Promise<number> {
  const turn = running?.turn ?? turns;
  if (turn === 0) return 0;
  const page = (await bus.ask("agent.session.log", { session, turn, limit: 1 })) as LogPage;
  return Math.max(0, (page.entries[0]?.seq ?? 1) - 1);
}

function whole(bus: ReadingBus, session: string, entry: Entry | TruncatedEntry): Promise<Entry> | Entry {
  if (!isTruncated(entry)) return entry;
  return readWholeEntry(entry.seq, async (offset) => {
    return (await bus.ask("agent.session.log", { session, entry: entry.seq, offset })) as LogPiece;
  });
}
