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

/** The turn that runs, or else the last one; 0 before the first. */
export function lastTurn({ running, turns }: Pick<SessionSnapshot, "running" | "turns">): number {
  return running?.turn ?? turns;
}

/** Returns the seq before a turn's first entry, for a view that begins with that turn; 0 if it has none. */
export async function turnStart(bus: Pick<ReadingBus, "ask">, session: string, turn: number): Promise<number> {
  if (turn < 1) return 0;
  const page = (await bus.ask("agent.session.log", { session, turn, limit: 1 })) as LogPage;
  return Math.max(0, (page.entries[0]?.seq ?? 1) - 1);
}

/**
 * Returns the seq after which the entries of a time and later begin. Where the clock was set back, some of them can have
 * been logged as earlier ones.
 */
export async function seqBeforeTime(
  bus: Pick<ReadingBus, "ask">,
  { session, last_seq }: Pick<SessionSnapshot, "session" | "last_seq">,
  time: number,
): Promise<number> {
  let [low, high] = [0, last_seq];
  while (low < high) {
    const after = Math.floor((low + high) / 2);
    const page = (await bus.ask("agent.session.log", { session, after, limit: 1 })) as LogPage;
    const [next] = page.entries;
    if (next === undefined || Date.parse((await whole(bus, session, next)).at) >= time) high = after;
    // Numbers of purged entries are missing.
    else low = next.seq;
  }
  return low;
}

function whole(bus: Pick<ReadingBus, "ask">, session: string, entry: Entry | TruncatedEntry): Promise<Entry> | Entry {
  if (!isTruncated(entry)) return entry;
  return readWholeEntry(entry.seq, async (offset) => {
    return (await bus.ask("agent.session.log", { session, entry: entry.seq, offset })) as LogPiece;
  });
}
