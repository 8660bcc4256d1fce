// SPDX-License-Identifier: MIT OR Apache-2.0
import { type Entry, type EntryKind, isTruncated, type TruncatedEntry } from "../../agentd/vocabulary/entries.ts";
import type { LogPage, LogPiece } from "../../agentd/vocabulary/replies.ts";
import { paginate } from "../../bus-client/index.ts";
import type { ReadingBus } from "../requests/ask.ts";
import { readWholeEntry } from "./follow.ts";

export interface LogFilter {
  readonly kinds?: EntryKind[];
  readonly turn?: number;
}

/** Yields whole entries after a `seq` or a cursor, in order, up to the present end of the log. */
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

function whole(bus: ReadingBus, session: string, entry: Entry | TruncatedEntry): Promise<Entry> | Entry {
  if (!isTruncated(entry)) return entry;
  return readWholeEntry(entry.seq, async (offset) => {
    return (await bus.ask("agent.session.log", { session, entry: entry.seq, offset })) as LogPiece;
  });
}
