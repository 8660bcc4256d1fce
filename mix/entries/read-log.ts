// SPDX-License-Identifier: MIT OR Apache-2.0
// Reading the log of a session, page by page.
import type { Entry, EntryKind, TruncatedEntry } from "../../agentd/vocabulary/entries.ts";
import type { LogPage, LogPiece } from "../../agentd/vocabulary/replies.ts";
import { pagesOf } from "../../bus-client/index.ts";
import type { ReadingBus } from "../bus/ask.ts";
import { readWholeEntry } from "./follow.ts";

export interface LogFilter {
  readonly kinds?: EntryKind[];
  readonly turn?: number;
}

/** Entries after a `seq` or a cursor, whole, in order, to the log's present end. */
export async function* logEntries(
  bus: ReadingBus,
  session: string,
  after: number | string,
  filter: LogFilter = {},
): AsyncGenerator<Entry, void, undefined> {
  const pages = pagesOf({
    read: async (from: number | string = after) =>
      (await bus.ask("agent.session.log", { session, after: from, ...filter })) as LogPage,
    next: (page) => page.next,
    first: after,
  });
  for await (const page of pages) for (const entry of page.entries) yield await whole(bus, session, entry);
}

function whole(bus: ReadingBus, session: string, entry: Entry | TruncatedEntry): Promise<Entry> | Entry {
  if (!("truncated" in entry)) return entry;
  return readWholeEntry(entry.seq, async (offset) => {
    return (await bus.ask("agent.session.log", { session, entry: entry.seq, offset })) as LogPiece;
  });
}
