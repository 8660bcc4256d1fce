// SPDX-License-Identifier: MIT OR Apache-2.0
// A session's entries for as long as a verb wants them, or until Ctrl-C. That agentd went away, and came back, is said.
import type { Entry, TruncatedEntry } from "../agentd/vocabulary/entries.ts";
import type { AgentBus } from "./bus.ts";
import { busSource } from "./follow/bus-source.ts";
import { follow } from "./follow/follow.ts";
import type { Invocation } from "./verb.ts";

export interface FollowedSession {
  /** End with Ctrl-C, which from the call on no longer ends the process. */
  readonly entries: AsyncIterable<Entry>;
  /** Ctrl-C is nobody's concern here any more. */
  readonly release: () => void;
}

/** Entries after a `seq` or a cursor, each once and in order. */
export async function followSession(
  { context, output }: Invocation,
  bus: AgentBus,
  from: { readonly session: string; readonly after: number | string },
  {
    onBatch,
    say = (words) => words(),
  }: {
    readonly onBatch?: (entries: readonly (Entry | TruncatedEntry)[]) => void;
    /** Makes room on the screen for what is said. */
    readonly say?: (words: () => void) => void;
  } = {},
): Promise<FollowedSession> {
  const stop = new AbortController();
  const release = context.interrupts.listen(() => stop.abort());
  try {
    const entries = follow({
      source: await busSource(bus),
      session: from.session,
      after: from.after,
      now: context.now,
      delay: context.after,
      signal: stop.signal,
      ...(onBatch === undefined ? {} : { onBatch }),
      onReach: (reachable) => say(() => output.notice(reachable ? "agentd is back" : "agentd is away; waiting for it")),
    });
    return { entries, release };
  } catch (error) {
    release();
    throw error;
  }
}
