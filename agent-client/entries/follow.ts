// SPDX-License-Identifier: MIT OR Apache-2.0
// Follows one session or all: every entry once, in `seq` order, whatever the Bus drops. Publications are only hints, and
// the log is authoritative: after a gap, a pause or a reconnection it is read from the last entry on.
import {
  type Entry,
  instanceSession,
  isEnded,
  isTruncated,
  type TruncatedEntry,
} from "../../agentd/vocabulary/entries.ts";
import type { LogPage, LogPiece, SessionSummary } from "../../agentd/vocabulary/replies.ts";
import { parseJson } from "../../json/raw-json.ts";
import { AgentError, clientError } from "../agent-error.ts";
import { retryWhileAway, type RetryPolicy } from "../requests/retry-while-away.ts";
import { Inbox, parsePublication, type Publication } from "./inbox.ts";

/** Where entries come from: the Bus, or a test. `page` and `piece` throw UNREACHABLE or BUSY if a retry makes sense. */
export interface FollowSource {
  /** Delivers publications of agentd only. `missed` is called when some may have been lost. */
  readonly listen: (listener: { publication(body: string): void; missed(): void }) => Promise<() => void>;
  readonly page: (session: string, after: number | string) => Promise<LogPage>;
  readonly piece: (session: string, entry: number, offset: number) => Promise<LogPiece>;
}

export interface AllSource extends FollowSource {
  /** `recent`: the live sessions and the newest of the others. */
  readonly sessions: (
    which: "all" | "recent",
  ) => Promise<readonly Pick<SessionSummary, "session" | "state" | "last_seq">[]>;
}

export interface FollowOptions extends RetryPolicy {
  readonly source: FollowSource;
  /** The session's full id, as publications carry it. */
  readonly session: string;
  /** Where to begin. Advanced with each entry that is yielded. */
  readonly position: Position;
  /** Called with the entries of a page or publication before they are yielded one by one. */
  readonly onBatch?: (entries: readonly (Entry | TruncatedEntry)[]) => void;
}

/** The last entry that a follower yielded. `log` is undefined until the first page tells it. */
export interface Position {
  log: string | undefined;
  seq: number;
}

/** `after` is a `seq`, or a cursor `<log>/<session>/<seq>`. Throws CURSOR_UNKNOWN for another session's cursor. */
export function positionAfter(after: number | string, session: string): Position {
  if (typeof after === "number") return { log: undefined, seq: after };
  const parts = /^([^/]+)\/([^/]+)\/(\d{1,15})$/.exec(after);
  if (parts === null || parts[2] !== session) {
    throw new AgentError("CURSOR_UNKNOWN", `${after} is not a cursor of session ${session} (<log>/<session>/<seq>)`);
  }
  return { log: parts[1], seq: Number(parts[3]) };
}

/** After this time without a publication the log is read: the broker may have dropped the last one. */
export const quietMs = 5_000;

/**
 * Ends when the signal fires. Throws UNREACHABLE when retrying gives up, and CURSOR_UNKNOWN if the log was replaced.
 */
export async function* follow(options: FollowOptions): AsyncGenerator<Entry, void, undefined> {
  const inbox = new Inbox();
  const stop = await fill(inbox, options, options.session);
  try {
    yield* missingEntries(options);
    while (!isAborted(options)) {
      const publication = await inbox.take(quietMs, options.after);
      yield* publication === "missed" ? missingEntries(options) : publishedEntries(options, publication);
    }
  } finally {
    stop();
  }
}

export interface FollowAllOptions extends RetryPolicy {
  readonly source: AllSource;
  /**
   * Where to begin, by session, advanced with each entry. A session that it does not name is followed from now on, or if
   * it begins later, from its first entry.
   */
  readonly positions: Map<string, Position>;
}

/** Follows all sessions, and what concerns none: the entries of each in order. Ends and throws as `follow` does. */
export async function* followAll(options: FollowAllOptions): AsyncGenerator<Entry, void, undefined> {
  const { source, positions } = options;
  const inbox = new Inbox();
  const stop = await fill(inbox, options);
  const one = (session: string, begin: Position): FollowOptions => {
    const position = positions.get(session) ?? begin;
    positions.set(session, position);
    return { ...options, session, position };
  };
  let which: "all" | "recent" = "all";
  let live: readonly string[] = [];
  try {
    for (
      let next: Publication | "missed" = "missed";
      !isAborted(options);
      next = await inbox.take(quietMs, options.after)
    ) {
      if (next !== "missed") {
        const { log, session, seqFrom } = next;
        const begin = session === instanceSession ? { log, seq: seqFrom - 1 } : fromFirst();
        yield* publishedEntries(one(session, begin), next);
        continue;
      }
      const found = await retryWhileAway(options, () => source.sessions(which));
      if (found === undefined) return;
      const last = new Map(found.map(({ session, last_seq }) => [session, last_seq]));
      // A live session that is no longer listed has ended since.
      for (const session of new Set([...live, ...last.keys()])) {
        const followed = one(session, which === "all" ? { log: undefined, seq: last.get(session) ?? 0 } : fromFirst());
        if ((last.get(session) ?? Infinity) > followed.position.seq) yield* missingEntries(followed);
      }
      live = found.filter(({ state }) => !isEnded(state)).map(({ session }) => session);
      which = "recent";
    }
  } finally {
    stop();
  }
}

const fromFirst = (): Position => ({ log: undefined, seq: 0 });

/** Puts publications into the inbox until the returned function is called. */
async function fill(
  inbox: Inbox,
  { source, signal }: Pick<FollowOptions, "source" | "signal">,
  session?: string,
): Promise<() => void> {
  const missed = (): void => inbox.markMissed();
  const stopListening = await source.listen({
    publication: (body) => inbox.put(parsePublication(body, session), body.length),
    missed,
  });
  signal?.addEventListener("abort", missed);
  return () => {
    stopListening();
    signal?.removeEventListener("abort", missed);
  };
}

async function* publishedEntries(
  options: FollowOptions,
  publication: Publication,
): AsyncGenerator<Entry, void, undefined> {
  const { position } = options;
  if (isAborted(options)) return;
  if (publication.log !== position.log) return yield* missingEntries(options);
  const leavesGap = (): boolean => publication.seqFrom > position.seq + 1;
  if (leavesGap()) yield* missingEntries(options);
  // A publication that still leaves a gap is dropped: the log is read again after the next pause.
  if (!leavesGap()) yield* newEntries(options, publication.entries);
}

async function* missingEntries(options: FollowOptions): AsyncGenerator<Entry, void, undefined> {
  const { position, session, source } = options;
  while (!isAborted(options)) {
    // A cursor names its log: a daemon that returns with another log refuses it instead of continuing in the wrong log.
    const after = position.log === undefined ? position.seq : `${position.log}/${session}/${position.seq}`;
    const page = await retryWhileAway(options, () => source.page(session, after));
    if (page === undefined) return;
    position.log ??= page.log;
    const before = position.seq;
    yield* newEntries(options, page.entries);
    if (page.next === undefined || position.seq === before) return;
  }
}

/** Yields the entries after the position, unless the signal fires. */
async function* newEntries(
  options: FollowOptions,
  entries: readonly (Entry | TruncatedEntry)[],
): AsyncGenerator<Entry, void, undefined> {
  const { position } = options;
  const fresh = entries.filter(({ seq }) => seq > position.seq);
  options.onBatch?.(fresh);
  for (const entry of fresh) {
    const whole = await wholeEntry(options, entry);
    if (whole === undefined) return;
    // Advance together with the yield: resuming from the position must not skip an entry that was not yielded.
    position.seq = entry.seq;
    yield whole;
    if (isAborted(options)) return;
  }
}

/** Returns undefined if the signal fired first. */
async function wholeEntry(options: FollowOptions, entry: Entry | TruncatedEntry): Promise<Entry | undefined> {
  if (!isTruncated(entry)) return entry;
  const { session, source } = options;
  const readPiece = (offset: number): Promise<LogPiece> => source.piece(session, entry.seq, offset);
  return retryWhileAway(options, () => readWholeEntry(entry.seq, readPiece));
}

/** Reads an entry that is too big for a page or a publication piece by piece. `offset` counts bytes. */
export async function readWholeEntry(seq: number, piece: (offset: number) => Promise<LogPiece>): Promise<Entry> {
  let text = "";
  for (let offset = 0; ;) {
    const read = await piece(offset);
    const bytes = Buffer.byteLength(read.text);
    text += read.text;
    offset += bytes;
    if (offset >= read.total) return parseJson(text) as Entry;
    if (bytes === 0) throw clientError("CALL_FAILED", `entry ${seq} ends at byte ${offset} of ${read.total}`);
  }
}

function isAborted({ signal }: Pick<FollowOptions, "signal">): boolean {
  return signal?.aborted === true;
}
