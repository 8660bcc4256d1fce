// SPDX-License-Identifier: MIT OR Apache-2.0
// Follows one session: every entry once, in `seq` order, whatever the Bus drops. Publications are a hint of what is new;
// the log is what is believed. A gap, a quiet while, a reconnection: the log is read from the last entry on.
import type { Entry, TruncatedEntry } from "../../agentd/vocabulary/entries.ts";
import type { LogPage, LogPiece } from "../../agentd/vocabulary/replies.ts";
import { parseJson } from "../../json/raw-json.ts";
import { MixError, ownError } from "../mix-error.ts";
import { Inbox, publicationOf } from "./inbox.ts";

/** The seam to the Bus. `page` and `piece` throw UNREACHABLE or BUSY where it is worth trying again. */
export interface FollowSource {
  /** Publications of agentd alone, as they come; `missed`: something may have been lost. */
  readonly listen: (listener: { publication(body: string): void; missed(): void }) => Promise<() => void>;
  readonly page: (session: string, after: number | string) => Promise<LogPage>;
  readonly piece: (session: string, entry: number, offset: number) => Promise<LogPiece>;
}

export interface FollowOptions {
  readonly source: FollowSource;
  /** The session's id: publications carry no other name of it. */
  readonly session: string;
  /** Entries after this one: a `seq`, or a cursor `<log>/<session>/<seq>`. */
  readonly after: number | string;
  readonly now: () => number;
  readonly delay: (ms: number, run: () => void) => () => void;
  readonly signal?: AbortSignal;
  /** Told of what came together, before it is handed out one by one. */
  readonly onBatch?: (entries: readonly (Entry | TruncatedEntry)[]) => void;
  /** Told once when agentd cannot be reached, and once when it can again. */
  readonly onReach?: (reachable: boolean) => void;
}

/** Without a word from the topic for so long, the log is asked: a broker may have dropped the last publication. */
export const quietMs = 5_000;
/** How long agentd may be away before following ends with UNREACHABLE. */
const awayMsMax = 30_000;

/** Ends when the signal fires. Throws UNREACHABLE after 30 s without agentd, and CURSOR_UNKNOWN where the log changed. */
export async function* follow(options: FollowOptions): AsyncGenerator<Entry, void, undefined> {
  const inbox = new Inbox();
  const stopListening = await options.source.listen({
    publication: (body) => inbox.put(publicationOf(body, options.session), body.length),
    missed: () => inbox.miss(),
  });
  const stopped = (): void => inbox.miss();
  options.signal?.addEventListener("abort", stopped);
  try {
    yield* entriesInOrder(options, inbox);
  } finally {
    stopListening();
    options.signal?.removeEventListener("abort", stopped);
  }
}

async function* entriesInOrder(options: FollowOptions, inbox: Inbox): AsyncGenerator<Entry, void, undefined> {
  const place = placeOf(options);
  const aborted = (): boolean => isAborted(options);
  yield* missingEntries(options, place);
  while (!aborted()) {
    const publication = await inbox.take(quietMs, options.delay);
    if (aborted()) return;
    if (publication === "missed" || publication.log !== place.log) {
      yield* missingEntries(options, place);
      continue;
    }
    if (publication.seqFrom > place.seq + 1) yield* missingEntries(options, place);
    options.onBatch?.(publication.entries);
    // A publication that still leaves a hole is dropped: the log is asked again after the next quiet while.
    for (const entry of publication.seqFrom > place.seq + 1 ? [] : publication.entries) {
      if (entry.seq !== place.seq + 1) continue;
      place.seq = entry.seq;
      yield await wholeEntry(options, entry);
      if (aborted()) return;
    }
  }
}

/** Where a follower stands: the last entry it handed out. */
interface Place {
  log: string | undefined;
  seq: number;
}

function placeOf({ after, session }: FollowOptions): Place {
  if (typeof after === "number") return { log: undefined, seq: after };
  const parts = /^([^/]+)\/([^/]+)\/(\d{1,15})$/.exec(after);
  if (parts === null || parts[2] !== session) {
    throw new MixError("CURSOR_UNKNOWN", `${after} is no cursor of session ${session}: <log>/<session>/<seq>`);
  }
  return { log: parts[1], seq: Number(parts[3]) };
}

async function* missingEntries(options: FollowOptions, place: Place): AsyncGenerator<Entry, void, undefined> {
  while (!isAborted(options)) {
    // A cursor with the log's identity: a daemon that came back with another log refuses it, instead of going on in it.
    const after = place.log === undefined ? place.seq : `${place.log}/${options.session}/${place.seq}`;
    const page = await patiently(options, () => options.source.page(options.session, after));
    place.log ??= page.log;
    const fresh = page.entries.filter((entry) => entry.seq > place.seq);
    options.onBatch?.(fresh);
    for (const entry of fresh) {
      place.seq = entry.seq;
      yield await wholeEntry(options, entry);
      if (isAborted(options)) return;
    }
    if (page.next === undefined || fresh.length === 0) return;
  }
}

async function wholeEntry(options: FollowOptions, entry: Entry | TruncatedEntry): Promise<Entry> {
  if (!("truncated" in entry)) return entry;
  return readWholeEntry(entry.seq, (offset) =>
    patiently(options, () => options.source.piece(options.session, entry.seq, offset)),
  );
}

/** An entry that is too big for a page or a publication, read piece by piece. */
export async function readWholeEntry(seq: number, piece: (offset: number) => Promise<LogPiece>): Promise<Entry> {
  let text = "";
  for (let offset = 0; ;) {
    const read = await piece(offset);
    const bytes = Buffer.byteLength(read.text);
    text += read.text;
    offset += bytes;
    if (offset >= read.total) return parseJson(text) as Entry;
    if (bytes === 0) throw ownError("CALL_FAILED", `entry ${seq} ends at byte ${offset} of ${read.total}`);
  }
}

/** Tries again while agentd is away, with growing waits. */
async function patiently<Result>(options: FollowOptions, run: () => Promise<Result>): Promise<Result> {
  const deadline = options.now() + awayMsMax;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const result = await run();
      if (attempt > 0) options.onReach?.(true);
      return result;
    } catch (error) {
      if (!worthTryingAgain(error) || isAborted(options) || options.now() >= deadline) throw error;
      if (attempt === 0) options.onReach?.(false);
      await new Promise<void>((resolve) => {
        options.delay(Math.min(100 * 2 ** attempt, retryMsMax), resolve);
      });
    }
  }
}

const retryMsMax = 2_000;

function isAborted({ signal }: FollowOptions): boolean {
  return signal?.aborted === true;
}

function worthTryingAgain(error: unknown): boolean {
  return (
    error instanceof MixError && (error.code === "UNREACHABLE" || error.code === "BUSY" || error.code === "TIME_LIMIT")
  );
}
