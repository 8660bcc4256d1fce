// SPDX-License-Identifier: MIT OR Apache-2.0
// How a run ends: closed, lost with its agent or its log, or failed in its start.
import { type ErrorBody, errorBody } from "../../vocabulary/errors.ts";
import { releaseTerminals } from "./client-side/terminals.ts";
import { type Draft, commandIdMember } from "./draft.ts";
import { endAllRequests, emitUnsent } from "./requests/request-life.ts";
import { beginRun, canRestoreSession } from "./resume.ts";
import { closeOpenTools } from "./tools/tool-calls.ts";
import { endQueuedTurns, endRunningTurn, unasked } from "./turns.ts";

/** Ends everything open and stops the agent. The session becomes `closed` when the agent is gone. */
export function beginClosing(draft: Draft, reason: string, stopReason: "cancelled" | "interrupted"): void {
  const { state } = draft;
  const { run } = state;
  if (run.phase === "turn") {
    if (!run.turn.cancelling) draft.effect({ type: "cancel" });
    endRunningTurn(draft, { stopReason, sent: true }, "end");
  }
  endOpen(draft, stopReason);
  state.run = { phase: "closing", becomes: "closed", reason };
  draft.effect({ type: "stop_agent" });
}

export function onStop(draft: Draft): void {
  const { run } = draft.state;
  if (run.phase === "ended" || run.phase === "closing") return;
  beginClosing(draft, "stop", "interrupted");
  draft.emitState({ reason: "stop" });
}

/** The agent is gone. */
export function onStopped(draft: Draft): void {
  const { state } = draft;
  if (state.run.phase !== "closing" && state.run.phase !== "ended") return;
  // Output during the shutdown may have opened tool calls or requests.
  closeOpenTools(draft);
  emitUnsent(draft);
  if (state.run.phase === "ended") return;
  const { becomes, reason, error } = state.run;
  const end = error === undefined ? { reason } : { reason, error };
  state.run = { phase: "ended", state: becomes, ...end };
  draft.emitState(end);
}

/** Fails a start: ends its queued turns and whatever else is open, and stops the agent. */
export function failStart(draft: Draft, error: ErrorBody, reason: string): void {
  const { state } = draft;
  const becomes = state.run.phase === "starting" ? state.run.failsAs : "failed";
  endQueuedTurns(draft, "interrupted", error);
  endAllRequests(draft, "end");
  closeOpenTools(draft);
  releaseTerminals(draft);
  failPendingCommands(draft, error);
  state.run = hasNoProcess(error)
    ? { phase: "ended", state: becomes, reason, error }
    : { phase: "closing", becomes, reason, error };
  draft.emitState({ reason, error });
  draft.effect({ type: "stop_agent" });
}

/** Such a session ends at once. Otherwise the agent is stopped first. */
function hasNoProcess({ error_code: code }: ErrorBody): boolean {
  return code === "AGENT_EXITED" || code === "AGENT_UNAVAILABLE";
}

/** Ends the session as `lost`, with everything that is still open. */
export function loseAgent(draft: Draft, error: ErrorBody, reason: string): void {
  const { state } = draft;
  endOpen(draft, "interrupted", error);
  failPendingCommands(draft, error);
  state.run = { phase: "ended", state: "lost", reason, error };
  draft.emitState({ reason, error });
  draft.effect({ type: "stop_agent" });
}

/** Ends the session as `lost` after the log could not be written or was full. */
export function onStoreFailed(draft: Draft, message: string): void {
  const { run } = draft.state;
  if (run.phase === "ended" || run.phase === "closing") return;
  const error = errorBody("STORE_FAILED", message);
  // The agent may have run these commands, so their reply blames its end and not the log.
  failPendingCommands(draft, errorBody("AGENT_EXITED", message));
  endRunningTurn(draft, { stopReason: "interrupted", sent: true, error }, "end");
  loseAgent(draft, error, "the log could not be written");
}

/** Stops an agent that ignores a cancel. A new process restores its session and runs the queue, if it can. */
export function onDrainTimeout(draft: Draft): void {
  const error = errorBody("AGENT_PROTOCOL", "the agent did not end its cancelled turn and was stopped");
  const reason = "the agent did not end its cancelled turn";
  if (canRestoreSession(draft.state)) restartAgent(draft, error, reason);
  else loseAgent(draft, error, reason);
}

/**
 * Replaces the agent process without losing the session. It cannot loop, since each restart needs another cancel. A
 * failed restart ends the queued turns like any failed start, and the session is lost.
 */
function restartAgent(draft: Draft, error: ErrorBody, reason: string): void {
  const { state } = draft;
  endAllRequests(draft, "end");
  closeOpenTools(draft);
  releaseTerminals(draft);
  failPendingCommands(draft, error);
  // The new process was not asked.
  state.queue = state.queue.map(unasked);
  state.runSeq = beginRun(draft, "restore", "lost", reason);
  draft.effect({ type: "stop_agent" });
  draft.effect({ type: "launch", state: { ...state } });
}

/** Ends what is open besides the running turn: requests, queued turns, tool calls, terminals, and the run's timers. */
function endOpen(draft: Draft, stopReason: "cancelled" | "interrupted", error?: ErrorBody): void {
  const { run } = draft.state;
  if (run.phase === "draining") draft.effect({ type: "disarm", timer: "drain", key: String(run.turn) });
  if (run.phase === "idle") draft.effect({ type: "disarm", timer: "idle", key: "" });
  endAllRequests(draft, "end");
  endQueuedTurns(draft, stopReason, error);
  closeOpenTools(draft);
  releaseTerminals(draft);
}

export function failPendingCommands(draft: Draft, error: ErrorBody): void {
  for (const pending of draft.state.pending) {
    const id = commandIdMember(pending.commandId);
    draft.answer(pending, 10, { ...error, ...id, session: draft.state.id, seq: pending.seq });
  }
}
