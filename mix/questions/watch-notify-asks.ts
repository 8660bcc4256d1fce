// SPDX-License-Identifier: MIT OR Apache-2.0
// Reports open asks as they arrive and end. The topics are only hints; the list of `notify` is authoritative.
import type { NotifyAsk } from "../../agentd/vocabulary/notify.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import type { Context } from "../process/context.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import { listAsks, askNotify } from "./notify-asks.ts";

export interface AskWatcher {
  readonly opened: (ask: NotifyAsk) => Promise<void>;
  readonly ended: (ask: NotifyAsk) => Promise<void>;
  /** `notify` or the Bus is unreachable; retried without a limit. */
  readonly away: (why: string) => void;
  readonly back: () => void;
}

/** Runs until Ctrl-C. Throws if `notify` is not reachable at the start. */
export async function watchNotifyAsks(context: Context, bus: AgentBus, watcher: AskWatcher): Promise<Outcome> {
  const known = new Map<string, NotifyAsk>();
  let wake: () => void = () => undefined;
  let isHinted = false;
  const hint = (): void => {
    isHinted = true;
    wake();
  };
  const interrupted = new Promise<"interrupted">((resolve) => {
    context.interrupts.listen(() => resolve("interrupted"));
  });
  for (const topic of ["notify.asked", "notify.answered"]) await bus.client.subscribe(topic, hint);
  bus.client.onState((state) => {
    if (state.kind === "connected") hint();
  });
  await refresh(bus, known, watcher);
  let isAway = false;
  for (;;) {
    let cancel: () => void = () => undefined;
    const later = new Promise<"later">((resolve) => {
      wake = () => resolve("later");
      cancel = context.after(pollMs, wake);
      if (isHinted) wake();
    });
    const first = await Promise.race([later, interrupted]);
    cancel();
    if (first === "interrupted") return { kind: "interrupted" };
    isHinted = false;
    try {
      await refresh(bus, known, watcher);
      if (isAway) watcher.back();
      isAway = false;
    } catch (error) {
      if (!(error instanceof AgentError) || !awayCodes.has(error.code)) throw error;
      if (!isAway) watcher.away(error.message);
      isAway = true;
    }
  }
}

/** Codes for a service that is gone or about to go. */
const awayCodes: ReadonlySet<string> = new Set(["UNREACHABLE", "UNAVAILABLE", "CALL_FAILED", "TIME_LIMIT", "BUSY"]);

/** Polled as well: a broker may drop hints, and an ask that is withdrawn or expires gives none. */
const pollMs = 3_000;

async function refresh(bus: AgentBus, known: Map<string, NotifyAsk>, watcher: AskWatcher): Promise<void> {
  const open = await listAsks(bus, { state: "open" });
  const gone = [...known.keys()].filter((ask) => !open.some((one) => one.ask === ask));
  for (const ask of gone) {
    const end = await fetchEnded(bus, ask);
    known.delete(ask);
    if (end !== undefined) await watcher.ended(end);
  }
  for (const ask of open) {
    if (known.has(ask.ask)) continue;
    known.set(ask.ask, ask);
    await watcher.opened(ask);
  }
}

async function fetchEnded(bus: AgentBus, ask: string): Promise<NotifyAsk | undefined> {
  try {
    return await askNotify(bus, "get", { ask });
  } catch (error) {
    if (error instanceof AgentError && error.code === "ASK_UNKNOWN") return undefined;
    throw error;
  }
}
