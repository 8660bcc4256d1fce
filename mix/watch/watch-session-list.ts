// SPDX-License-Identifier: MIT OR Apache-2.0
import type { SessionSummary } from "../../agentd/vocabulary/replies.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { listenToAgentd } from "../../agent-client/entries/bus-source.ts";
import { busRetryPolicy } from "./retry-policy.ts";
import { retryWhileAway } from "../../agent-client/requests/retry-while-away.ts";
import { listSessions, type SessionFilter } from "../../agent-client/requests/sessions.ts";
import type { Invocation } from "../input/verb.ts";
import { formatTable, type TableFit } from "../view/table.ts";
import { sessionCuts, toSessionRow } from "../view/reply-tables.ts";

/**
 * Works like `kubectl get -w`: prints the sessions, then each one that changes, and once more one that leaves the list.
 */
export async function watchSessionList(
  { context, output }: Invocation,
  bus: AgentBus,
  filter: SessionFilter,
  fit: TableFit,
): Promise<Outcome> {
  const known = new Map<string, string>();
  const stop = new AbortController();
  context.interrupts.listen(() => stop.abort());
  const policy = { ...busRetryPolicy(context, output, bus), signal: stop.signal };
  let changed = false;
  let wake: () => void = () => undefined;
  const onChange = (): void => {
    changed = true;
    wake();
  };
  stop.signal.addEventListener("abort", onChange);
  const stopListening = await listenToAgentd(bus.client, await bus.reader(), {
    publication: onChange,
    missed: onChange,
  });
  try {
    while (!stop.signal.aborted) {
      changed = false;
      for (const one of (await retryWhileAway(policy, () => changedSessions(bus, filter, known))) ?? [])
        await print(one);
      if (changed) continue;
      await new Promise<void>((resolved) => {
        wake = resolved;
      });
    }
    return { kind: "interrupted" };
  } finally {
    stopListening();
  }

  async function print(one: SessionSummary): Promise<void> {
    if (output.mode === "json") return output.row(one);
    if (output.mode === "ids") return output.line(one.session);
    return output.line(formatTable([toSessionRow(one, context.now(), fit)], fit, sessionCuts)[0] ?? "");
  }
}

async function changedSessions(
  bus: AgentBus,
  filter: SessionFilter,
  known: Map<string, string>,
): Promise<SessionSummary[]> {
  const listed = await listSessions(bus, filter);
  const gone = [...known.keys()].filter((session) => !listed.some((one) => one.session === session));
  const left = await Promise.all(gone.map((session) => bus.ask("agent.session.get", { session })));
  for (const session of gone) known.delete(session);
  const changed = listed.filter((one) => known.get(one.session) !== summaryKey(one));
  for (const one of changed) known.set(one.session, summaryKey(one));
  return [...left, ...changed];
}

function summaryKey({ state, reason, turns, title, name }: SessionSummary): string {
  return JSON.stringify([state, reason, turns, title, name]);
}
