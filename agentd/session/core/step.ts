// SPDX-License-Identifier: MIT OR Apache-2.0
// Decides one input for one state: a refusal, or the next state with its entries, replies and effects. Pure and
// synchronous, without a clock or I/O. The caller appends the entries, then runs the effects, then publishes.
import { errorBody } from "../../vocabulary/errors.ts";
import { decideClientSide } from "./client-side/decide-client-side.ts";
import {
  failPendingCommands,
  loseAgent,
  onAgentEvent,
  onOpened,
  onDrainTimeout,
  onNotResumable,
  onOpenFailed,
  onOptionSet,
  onPromptDone,
} from "./decide-agent.ts";
import { beginClosing, decideCommand } from "./decide-commands.ts";
import { Draft, commandIdMember } from "./draft.ts";
import type { StepContext, Decision, SessionInput } from "./input.ts";
import { recover } from "./recover.ts";
import { expireRequest, emitSent, emitUnsent } from "./requests/request-life.ts";
import { onPeopleAnswered, onPeopleNotAsked } from "./requests/people-answers.ts";
import { decideResume, onResumeRefused } from "./resume.ts";
import { currentTurn, type SessionState } from "./state.ts";
import { closeOpenTools } from "./tools/tool-calls.ts";
import { endRunningTurn } from "./turns.ts";

export function step(state: SessionState, input: SessionInput, context: StepContext): Decision {
  const draft = new Draft(state, context);
  switch (input.type) {
    case "command":
      return decideCommand(draft, input.command);
    case "resume":
      return decideResume(draft, input);
    case "agent":
      onAgentEvent(draft, input.event, input.evidence);
      // Late output after the end may open a tool call, which no later agentd would close.
      if (draft.state.run.phase === "ended") closeOpenTools(draft);
      break;
    case "spawned":
      if (state.run.phase === "starting") draft.add({ kind: "state", state: "starting", process: input.process });
      break;
    case "opened":
      onOpened(draft, input);
      break;
    case "resume_refused":
      onResumeRefused(draft, input.method, input.failure);
      break;
    case "not_resumable":
      onNotResumable(draft, input.failure);
      break;
    case "replay_differs":
      draft.add({ kind: "diagnostic", what: "replay-differs", message: input.message });
      break;
    case "open_failed":
      onOpenFailed(draft, input.failure);
      break;
    case "prompt_done":
      onPromptDone(draft, input.turn, input.outcome);
      break;
    case "option_set":
      onOptionSet(draft, input.seq, input.option, input.outcome);
      break;
    case "maintenance_done":
      onMaintenanceDone(draft, input);
      break;
    case "answer_sent":
      emitSent(draft, input.request, currentTurn(draft.state).turn);
      break;
    case "client_side":
      decideClientSide(draft, input.input);
      break;
    case "people_answered":
      onPeopleAnswered(draft, input);
      break;
    case "people_not_asked":
      onPeopleNotAsked(draft, input);
      break;
    case "bus_tools_missing":
      onBusToolsMissing(draft, input.message);
      break;
    case "stopped":
      onStopped(draft);
      break;
    case "ended_unlogged":
      onStoreFailed(draft, "the agent was stopped while the log could not be written");
      break;
    case "log_full":
      onStoreFailed(draft, "the log has reached its quota: purge or prune what is not needed, or raise log_quota");
      break;
    case "timer":
      onTimer(draft, input.timer, input.key);
      break;
    case "stop":
      onStop(draft);
      break;
    case "recover":
      recover(draft, input);
      break;
  }
  draft.emitState();
  return draft.decision();
}

function onMaintenanceDone(draft: Draft, { seq, rc, body }: Extract<SessionInput, { type: "maintenance_done" }>): void {
  const pending = draft.state.pending.find((candidate) => candidate.seq === seq);
  if (!pending) return;
  const id = commandIdMember(pending.commandId);
  draft.answer(pending, rc, { ...body, ...id, session: draft.state.id, seq });
}

/** Without `why`, the agent was given the server and has not started it. */
function onBusToolsMissing(draft: Draft, why: string | undefined): void {
  if (draft.state.run.phase === "ended") return;
  // Report it once per run.
  draft.state.busToolsCheckDue = false;
  const message =
    why ??
    "the agent has not started the MCP server that its session was given (mixos): it has no Bus tools. " +
      "Set bus_tools = false in the configuration if it should not have them";
  draft.add({ kind: "diagnostic", what: "bus-tools-not-seen", message });
}

/** Ends a closing session once its agent is gone. */
function onStopped(draft: Draft): void {
  const { state } = draft;
  if (state.run.phase !== "closing" && state.run.phase !== "ended") return;
  // Output during the shutdown may have opened tool calls or requests.
  closeOpenTools(draft);
  emitUnsent(draft);
  if (state.run.phase === "ended") return;
  const { reason, error } = state.run;
  const end = error === undefined ? { reason } : { reason, error };
  state.run = { phase: "ended", state: error === undefined ? "closed" : "failed", ...end };
  draft.emitState(end);
}

/** Ends the session as `lost` after the log could not be written or was full. */
function onStoreFailed(draft: Draft, message: string): void {
  const { run } = draft.state;
  if (run.phase === "ended" || run.phase === "closing") return;
  const error = errorBody("STORE_FAILED", message);
  // The agent may have run these commands, so their reply blames its end and not the log.
  failPendingCommands(draft, errorBody("AGENT_EXITED", message));
  endRunningTurn(draft, { stopReason: "interrupted", sent: true, error }, "end");
  loseAgent(draft, error, "the log could not be written");
}

/** Handles a timer if its subject still exists: timers may fire after what they guard has ended. */
function onTimer(draft: Draft, timer: string, key: string): void {
  const { state, context } = draft;
  const { run } = state;
  if (timer === "request") {
    const open = state.requests.find(({ request }) => request === key);
    return open && expireRequest(draft, open);
  }
  if (timer === "cancel" && run.phase === "turn" && run.turn.cancelling && String(run.turn.turn) === key) {
    endRunningTurn(draft, { stopReason: "cancelled", sent: true, forced: true }, "cancel");
    state.run = { phase: "draining", turn: run.turn.turn };
    draft.effect({ type: "arm", timer: "drain", key, afterMs: context.settings.drainGraceMs });
    return draft.emitState({ reason: "draining" });
  }
  if (timer === "drain" && run.phase === "draining" && String(run.turn) === key) {
    return onDrainTimeout(draft);
  }
  if (timer === "idle" && run.phase === "idle" && state.requests.length === 0) {
    beginClosing(draft, "idle", "interrupted");
    return draft.emitState({ reason: "idle" });
  }
}

/** Closes the session because the daemon stops; its turns end `interrupted`. */
function onStop(draft: Draft): void {
  const { run } = draft.state;
  if (run.phase === "ended" || run.phase === "closing") return;
  beginClosing(draft, "stop", "interrupted");
  draft.emitState({ reason: "stop" });
}
