// SPDX-License-Identifier: MIT OR Apache-2.0
// `log -f`: entries as they come, until Ctrl-C. Unlike a turn that is followed, it has no end of its own.
import type { Entry } from "../agentd/vocabulary/entries.ts";
import type { AgentBus } from "./bus.ts";
import type { Outcome } from "./exit-codes.ts";
import { busSource } from "./follow/bus-source.ts";
import { follow } from "./follow/follow.ts";
import type { LogFilter } from "./sessions.ts";
import type { Invocation } from "./verb.ts";

export interface LogToFollow {
  readonly session: string;
  readonly after: number | string;
  readonly filter: LogFilter;
  readonly show: (entry: Entry) => Promise<void>;
}

export async function followLog({ context, output }: Invocation, bus: AgentBus, what: LogToFollow): Promise<Outcome> {
  const stop = new AbortController();
  const stopListening = context.interrupts.listen(() => stop.abort());
  const { kinds, turn } = what.filter;
  const entries = follow({
    source: await busSource(bus),
    session: what.session,
    after: what.after,
    now: context.now,
    delay: context.after,
    signal: stop.signal,
    onReach: (reachable) => output.notice(reachable ? "agentd is back" : "agentd is away; waiting for it"),
  });
  try {
    for await (const entry of entries) {
      if (kinds !== undefined && !kinds.includes(entry.kind)) continue;
      if (turn === undefined || entry.turn === turn) await what.show(entry);
    }
    return { kind: "interrupted" };
  } finally {
    stopListening();
  }
}
