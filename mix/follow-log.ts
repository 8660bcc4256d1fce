// SPDX-License-Identifier: MIT OR Apache-2.0
// `log -f`: entries as they come, until Ctrl-C. Unlike a turn that is followed, it has no end of its own.
import type { Entry } from "../agentd/vocabulary/entries.ts";
import type { AgentBus } from "./bus/ask.ts";
import type { Outcome } from "./process/exit-codes.ts";
import { followSession } from "./watch/entries-until-interrupt.ts";
import type { LogFilter } from "./entries/read-log.ts";
import type { Invocation } from "./input/verb.ts";

export interface LogToFollow {
  readonly session: string;
  readonly after: number | string;
  readonly filter: LogFilter;
  readonly show: (entry: Entry) => Promise<void>;
}

export async function followLog(invocation: Invocation, bus: AgentBus, what: LogToFollow): Promise<Outcome> {
  const { kinds, turn } = what.filter;
  const { entries, goOnWords, release } = await followSession(invocation, bus, what);
  try {
    for await (const entry of entries) {
      if (kinds !== undefined && !kinds.includes(entry.kind)) continue;
      if (turn === undefined || entry.turn === turn) await what.show(entry);
    }
    invocation.output.word(goOnWords());
    return { kind: "interrupted" };
  } finally {
    release();
  }
}
