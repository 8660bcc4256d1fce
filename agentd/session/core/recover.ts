// SPDX-License-Identifier: MIT OR Apache-2.0
// A session whose agentd is gone, as the next agentd finds it: nothing of it lives, and whatever was open ends here.
// Done twice, it changes nothing more.
import { type ErrorBody, errorBody } from "../../vocabulary/errors.ts";
import { sayWriteInterrupted } from "./client-side/files.ts";
import { sayTerminalsLost } from "./client-side/terminals.ts";
import { answerPending } from "./decide-agent.ts";
import type { Draft } from "./draft.ts";
import type { SessionInput } from "./input.ts";
import { endAllRequests, sayPerhapsSent, sayUnsent } from "./requests/ends.ts";
import type { SessionState } from "./state.ts";
import { sayEnded } from "./turns.ts";

export function recover(draft: Draft, before: SessionState, found: Extract<SessionInput, { type: "recover" }>): void {
  const { state } = draft;
  const { life } = state;
  if (found.processesEnded > 0) {
    const message = `${found.processesEnded} processes of the last agentd's agent were still there and were ended`;
    draft.add({ kind: "diagnostic", what: "leftover-processes", message });
  }
  const interrupted = errorBody(
    "AGENT_INTERRUPTED",
    "agentd ended before it answered: it may have run, and will not run again",
  );
  answerPending(draft, interrupted);
  for (const write of state.writes) sayWriteInterrupted(draft, write);
  sayTerminalsLost(draft);
  if (life.phase === "ended") return;
  sayPerhapsSent(draft);
  endAllRequests(draft, "restart");
  sayUnsent(draft);
  for (const { toolCallId, turn } of found.openTools) {
    const where = turn === undefined ? {} : { turn };
    draft.add({ kind: "tool_call", ...where, tool_call_id: toolCallId, status: "failed", closed_by: "agentd" });
  }
  for (const { turn, started, answered } of found.turns) {
    sayEnded(draft, turn, { stopReason: "interrupted", sent: started ? answered || "unknown" : false });
  }
  state.queue = [];
  const end = endOf(state);
  state.life = { phase: "ended", ...end };
  draft.sayState(before, { reason: end.reason, ...(end.error === undefined ? {} : { error: end.error }) });
}

function endOf(state: Readonly<SessionState>): {
  readonly state: "closed" | "lost" | "failed";
  readonly reason: string;
  readonly error?: ErrorBody;
} {
  const reason = "restart";
  const { life } = state;
  if (life.phase === "closing") {
    return life.error === undefined ? { state: "closed", reason } : { state: "failed", reason, error: life.error };
  }
  if (life.phase === "starting" && state.agentSide === null) return { state: "failed", reason };
  return { state: "lost", reason };
}
