// SPDX-License-Identifier: MIT OR Apache-2.0
// Ends a session whose agentd died, when the next agentd starts: no agent is left, and everything open ends here.
// Idempotent.
import { errorBody } from "../../vocabulary/errors.ts";
import { emitWriteInterrupted } from "./client-side/files.ts";
import { emitTerminalsLost } from "./client-side/terminals.ts";
import type { Draft } from "./draft.ts";
import { failPendingCommands } from "./end-run.ts";
import type { SessionInput } from "./input.ts";
import { endAllRequests, emitPossiblySent, emitUnsent } from "./requests/request-life.ts";
import type { Run, SessionState } from "./state.ts";
import { emitTurnEnded, sentIfSteering } from "./turns.ts";

/** Ends everything the log shows as open, including commands, writes, terminals, requests, tool calls and turns. */
export function recover(draft: Draft, found: Extract<SessionInput, { type: "recover" }>): void {
  const { state } = draft;
  const { run } = state;
  if (found.processesEnded > 0) {
    const message = `${found.processesEnded} processes left by the last agentd's agent were ended`;
    draft.add({ kind: "diagnostic", what: "leftover-processes", message });
  }
  const interrupted = errorBody(
    "AGENT_INTERRUPTED",
    "agentd ended before it replied: the command may have run, and will not run again",
  );
  failPendingCommands(draft, interrupted);
  for (const write of state.writes) emitWriteInterrupted(draft, write);
  emitTerminalsLost(draft);
  if (run.phase === "ended") return;
  emitPossiblySent(draft);
  endAllRequests(draft, "restart");
  emitUnsent(draft);
  for (const { toolCallId, turn } of found.openTools) {
    const where = turn === undefined ? {} : { turn };
    draft.add({ kind: "tool_call", ...where, tool_call_id: toolCallId, status: "failed", closed_by: "agentd" });
  }
  for (const { turn, started, answered, steering } of found.turns) {
    const sent = started ? answered || "unknown" : sentIfSteering(steering);
    emitTurnEnded(draft, turn, { stopReason: "interrupted", sent });
  }
  state.queue = [];
  const ended = toEndedRun(state);
  state.run = ended;
  draft.emitState({ reason: ended.reason, ...(ended.error === undefined ? {} : { error: ended.error }) });
}

function toEndedRun({ run, agentSide }: Readonly<SessionState>): Extract<Run, { readonly phase: "ended" }> {
  const ended = { phase: "ended", reason: "restart" } as const;
  if (run.phase === "closing") {
    return { ...ended, state: run.becomes, ...(run.error === undefined ? {} : { error: run.error }) };
  }
  return { ...ended, state: run.phase === "starting" && agentSide === null ? "failed" : "lost" };
}
