// SPDX-License-Identifier: MIT OR Apache-2.0
// Follows one session: every entry once, in `seq` order, whatever the Bus drops. Publications are only hints, and the
// log is authoritative: after a gap, a pause or a reconnection it is read from the last entry on.
import type { Entry, TruncatedEntry } from "../../agentd/vocabulary/entries.ts";
import type { LogPage, LogPiece } from "../../agentd/vocabulary/replies.ts";
import { parseJson } from "../../json/raw-json.ts";
import { AgentError, clientError } from "../agent-error.ts";
import { retryWhileAway, type RetryPolicy } from "../requests/retry-while-away.ts";
import { Inbox, parsePublication } from "./inbox.ts";

/** Where entries come from: the Bus, or a test. `page` and `piece` throw UNREACHABLE or BUSY if a retry makes sense. */
export interface FollowSource {
  /** Delivers publications of agentd only. `missed` is called when some may have been lost. */
  readonly listen: (listener: { publication(body: string): void; missed(): void }) => Promise<() => void>;
  readonly page: (session: string, after: number | string) => Promise<LogPage>;
  readonly piece: (session: string, entry: number, offset: number) => Promise<LogPiece>;
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
  const stopListening = await options.source.listen({
    publication: (body) => inbox.put(parsePublication(body, options.session), body.length),
    missed: () => inbox.markMissed(),
  });
  const stopped = (): void => inbox.markMissed();
  options.signal?.addEventListener("abort", stopped);
  try {
    yield* entriesInOrder(options, inbox);
  } finally {
    stopListening();
    options.signal?.removeEventListener("abort", stopped);
  }
}

async function* entriesInOrder(options: FollowOptions, inbox: Inbox): AsyncGenerator<Entry, void, undefined> {
  const { position } = options;
  const aborted = (): boolean => isAborted(options);
  yield* missingEntries(options);
  while (!aborted()) {
    const publication = await inbox.take(quietMs, options.delay);
    if (aborted()) return;
    if (publication === "missed" || publication.log !== position.log) {
      yield* missingEntries(options);
      continue;
    }
    if (publication.seqFrom > position.seq + 1) yield* missingEntries(options);
    options.onBatch?.(publication.entries);
    // A publication that still leaves a gap is dropped: the log is read again after the next pause.
    for (const entry of publication.seqFrom > position.seq + 1 ? [] : publication.entries) {
      if (entry.seq !== position.seq + 1) continue;
      const whole = await wholeEntry(options, entry);
      if (whole === undefined) return;
      // Advance together with the yield: resuming from the position must not skip an entry that was not yielded.
      position.seq = entry.seq;
      yield whole;
      if (aborted()) return;
    }
  }
}

async function* missingEntries(options: FollowOptions): AsyncGenerator<Entry, void, undefined> {
  const { position, session, source } = options;
  while (!isAborted(options)) {
    // A cursor names its log: a daemon that returns with another log refuses it instead of continuing in the wrong log.
    const after = position.log === undefined ? position.seq : `${position.log}/${session}/${position.seq}`;
    const page = await retryWhileAway(options, () => source.page(session, after));
    if (page === undefined) return;
    position.log ??= page.log;
    const fresh = page.entries.filter((entry) => entry.seq > position.seq);
    options.onBatch?.(fresh);
    for (const entry of fresh) {
      const whole = await wholeEntry(options, entry);
      if (whole === undefined) return;
      position.seq = entry.seq;
      yield whole;
      if (isAborted(options)) return;
    }
    if (page.next === undefined || fresh.length === 0) return;
  }
}

/** Returns undefined if the signal fired first. */
async function wholeEntry(options: FollowOptions, entry: Entry | TruncatedEntry): Promise<Entry | undefined> {
  if (!("truncated" in entry)) return entry;
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

function isAborted({ signal }: FollowOptions): boolean {
  return signal?.aborted === true;
}
