// SPDX-License-Identifier: MIT OR Apache-2.0
// A session's entries for as long as a verb wants them, or until Ctrl-C or SIGTERM. That agentd or the Bus went away,
// and came back, is said, and at the end how to go on from the last entry.
import type { Entry, TruncatedEntry } from "../../agentd/vocabulary/entries.ts";
import type { AgentBus } from "../bus/ask.ts";
import { busSource } from "../entries/bus-source.ts";
import { follow, positionAfter } from "../entries/follow.ts";
import { MixError } from "../process/mix-error.ts";
import { busRetryPolicy } from "../bus/retry-while-away.ts";
import type { Invocation } from "../input/verb.ts";

export interface FollowedSession {
  /**
   * End with Ctrl-C or SIGTERM, which from the call on no longer end the process. Throw UNREACHABLE with the cursor.
   */
  readonly entries: AsyncIterable<Entry>;
  /** How to go on after the last entry that was handed out. */
  readonly resumeHint: () => string;
  /** SIGTERM ended it: nobody waits for what would be said next. */
  readonly isTerminated: () => boolean;
  /** Ctrl-C is nobody's concern here any more. */
  readonly release: () => void;
}

/** Entries after a `seq` or a cursor, each once and in order. */
export async function entriesUntilInterrupt(
  { context, output }: Invocation,
  bus: AgentBus,
  { session, after }: { readonly session: string; readonly after: number | string },
  {
    onBatch,
    say,
  }: {
    readonly onBatch?: (entries: readonly (Entry | TruncatedEntry)[]) => void;
    /** Makes room on the screen for what is said. */
    readonly say?: (words: () => void) => void;
  } = {},
): Promise<FollowedSession> {
  const position = positionAfter(after, session);
  const stop = new AbortController();
  let isTerminated = false;
  const release = context.interrupts.listen((by) => {
    isTerminated = by === "SIGTERM";
    stop.abort();
  });
  const cursor = (): string =>
    position.log === undefined ? `${position.seq}` : `${position.log}/${session}/${position.seq}`;
  const resumeHint = (): string => `go on from here: mix agent log ${session} -f --since ${cursor()}`;
  try {
    const entries = follow({
      ...busRetryPolicy(context, output, bus, say),
      source: await busSource(bus),
      session,
      position,
      signal: stop.signal,
      ...(onBatch === undefined ? {} : { onBatch }),
    });
    return { entries: withCursor(entries, cursor, resumeHint), resumeHint, isTerminated: () => isTerminated, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Whoever gives up on an agentd that is away says up to where it was heard. */
async function* withCursor(
  entries: AsyncIterable<Entry>,
  cursor: () => string,
  resumeHint: () => string,
): AsyncGenerator<Entry, void, undefined> {
  try {
    yield* entries;
  } catch (error) {
    if (!(error instanceof MixError) || error.code !== "UNREACHABLE") throw error;
    throw new MixError(error.code, `${error.message}; ${resumeHint()}`, {
      details: { ...error.details, cursor: cursor() },
      cause: error,
    });
  }
}
