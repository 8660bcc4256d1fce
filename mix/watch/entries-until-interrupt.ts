// SPDX-License-Identifier: MIT OR Apache-2.0
// Follows a session until the verb stops or Ctrl-C or SIGTERM comes. Reports when agentd or the Bus becomes unreachable
// and returns, and at the end says how to continue after the last entry.
import type { Entry, TruncatedEntry } from "../../agentd/vocabulary/entries.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import { busSource } from "../../agent-client/entries/bus-source.ts";
import { follow, positionAfter } from "../../agent-client/entries/follow.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import { MixError } from "../process/mix-error.ts";
import { busRetryPolicy } from "./retry-policy.ts";
import type { Invocation } from "../input/verb.ts";

export interface FollowedSession {
  /**
   * Ends with Ctrl-C or SIGTERM, which no longer end the process. Throws UNREACHABLE with the cursor in its details.
   */
  readonly entries: AsyncIterable<Entry>;
  /** Says how to continue after the last entry that was yielded. */
  readonly resumeHint: () => string;
  /** Whether SIGTERM ended the follow: then nobody waits for further messages. */
  readonly isTerminated: () => boolean;
  /** Stops listening for Ctrl-C and SIGTERM. */
  readonly release: () => void;
}

/** Follows the entries after a `seq` or a cursor, each once and in order. */
export async function entriesUntilInterrupt(
  { context, output }: Invocation,
  bus: AgentBus,
  { session, after }: { readonly session: string; readonly after: number | string },
  {
    onBatch,
    say,
  }: {
    readonly onBatch?: (entries: readonly (Entry | TruncatedEntry)[]) => void;
    /** Makes room on the screen, then calls `words` to write a message. */
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
  const resumeHint = (): string => `continue from here: mix agent log ${session} -f --since ${cursor()}`;
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

/** Adds the cursor to the error with which following gives up. */
async function* withCursor(
  entries: AsyncIterable<Entry>,
  cursor: () => string,
  resumeHint: () => string,
): AsyncGenerator<Entry, void, undefined> {
  try {
    yield* entries;
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== "UNREACHABLE") throw error;
    throw new MixError(error.code, `${error.message}; ${resumeHint()}`, {
      details: { ...error.details, cursor: cursor() },
      cause: error,
    });
  }
}
