// SPDX-License-Identifier: MIT OR Apache-2.0
// Decides one input for one state: a refusal, or the next state with its entries, replies and effects. Pure and
// synchronous, without a clock or I/O. The caller appends the entries, then runs the effects, then publishes.
import { stopWorkOf } from "./cancelling.ts";
import { decideClientSide } from "./client-side/decide-client-side.ts";
import { onAgentEvent, onOpened, onNotResumable, onOpenFailed, onOptionSet, onPromptDone } from "./decide-agent.ts";
import { decideCommand } from "./decide-commands.ts";
import { Draft, commandIdMember } from "./draft.ts";
import { beginClosing, onDrainTimeout, onStop, onStopped, onStoreFailed } from "./end-run.ts";
import type { StepContext, Decision, RefusedDecision, SessionInput } from "./input.ts";
import { closeLeft, noteLeft, noteUse } from "./left-session.ts";
import { recover } from "./recover.ts";
import { expireRequest, emitSent } from "./requests/request-life.ts";
import { onPeopleAnswered, onPeopleNotAsked } from "./requests/people-answers.ts";
import { decideResume, onResumeRefused } from "./resume.ts";
import { noteActivity, onSilenceTimer } from "./silence.ts";
import { currentTurn, type SessionState } from "./state.ts";
import { onSteered } from "./steering.ts";
import { closeOpenTools } from "./tools/tool-calls.ts";
import { endRunningTurn } from "./turns.ts";

export function step(state: SessionState, input: SessionInput, context: StepContext): Decision {
  const draft = new Draft(state, context);
  const refused = decide(draft, input);
  if (refused) return refused;
  // Late output after the end may have opened a tool call, which no later agentd would close.
  if (input.type === "agent" && draft.state.run.phase === "ended") closeOpenTools(draft);
  draft.emitState();
  return draft.decision();
}

function decide(draft: Draft, input: SessionInput): RefusedDecision | void {
  switch (input.type) {
    case "command":
      noteUse(draft, input.command.by);
      return decideCommand(draft, input.command);
    case "resume":
      return decideResume(draft, input);
    case "agent":
      return onAgentEvent(draft, input);
    case "spawned":
      return onSpawned(draft, input.process);
    case "opened":
      return onOpened(draft, input);
    case "resume_refused":
      return onResumeRefused(draft, input.method, input.failure);
    case "not_resumable":
      return onNotResumable(draft, input.failure);
    case "replay_differs":
      draft.add({ kind: "diagnostic", what: "replay-differs", message: input.message });
      return;
    case "open_failed":
      return onOpenFailed(draft, input.failure);
    case "prompt_done":
      return onPromptDone(draft, input.turn, input.outcome);
    case "steered":
      return onSteered(draft, input.turn, input.outcome);
    case "option_set":
      return onOptionSet(draft, input.seq, input.option, input.outcome);
    case "command_done":
      return onCommandDone(draft, input);
    case "answer_sent":
      return emitSent(draft, input.request, currentTurn(draft.state).turn);
    case "client_side":
      noteActivity(draft);
      return decideClientSide(draft, input.input);
    case "people_answered":
      noteUse(draft, input.by);
      return onPeopleAnswered(draft, input);
    case "people_not_asked":
      return onPeopleNotAsked(draft, input);
    case "editor_left":
      return onEditorLeft(draft, input);
    case "editor_attached":
      draft.state.left = null;
      return;
    case "make_room":
      return closeLeft(draft, true);
    case "start_problem":
      draft.add({ kind: "notice", severity: "warning", title: input.title, description: input.description });
      return;
    case "bus_tools_missing":
      return onBusToolsMissing(draft, input.message);
    case "stopped":
      return onStopped(draft);
    case "ended_unlogged":
      return onStoreFailed(draft, "the agent was stopped while the log could not be written");
    case "log_full":
      return onStoreFailed(
        draft,
        "the log has reached its quota: purge or prune what is not needed, or raise log_quota",
      );
    case "timer":
      return onTimer(draft, input.timer, input.key);
    case "stop":
      return onStop(draft);
    case "recover":
      return recover(draft, input);
  }
}

function onSpawned(draft: Draft, process: Extract<SessionInput, { type: "spawned" }>["process"]): void {
  if (draft.state.run.phase === "starting") draft.add({ kind: "state", state: "starting", process });
}

function onEditorLeft(
  draft: Draft,
  { citizen, cancelsTurns, isLast }: Extract<SessionInput, { type: "editor_left" }>,
): void {
  if (cancelsTurns) stopWorkOf(draft, citizen);
  if (isLast) noteLeft(draft, citizen);
}

function onCommandDone(draft: Draft, { seq, rc, body }: Extract<SessionInput, { type: "command_done" }>): void {
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

/** Handles a timer if its subject still exists: timers may fire after what they guard has ended. */
function onTimer(draft: Draft, timer: string, key: string): void {
  const { state, context } = draft;
  const { run } = state;
  if (timer === "request") {
    const open = state.requests.find(({ request }) => request === key);
    return open && expireRequest(draft, open);
  }
  if (timer === "silence" && run.phase === "turn" && String(run.turn.turn) === key) {
    return onSilenceTimer(draft, run.turn);
  }
  if (timer === "cancel" && run.phase === "turn" && run.turn.cancelling && String(run.turn.turn) === key) {
    endRunningTurn(draft, { stopReason: "cancelled", sent: true, forced: true }, "cancel");
    state.run = { phase: "draining", turn: run.turn.turn };
    draft.effect({ type: "arm", timer: "drain", key, afterMs: context.limits.drainTimeoutMs });
    return draft.emitState({ reason: "draining" });
  }
  if (timer === "drain" && run.phase === "draining" && String(run.turn) === key) {
    return onDrainTimeout(draft);
  }
  if (timer === "left") return closeLeft(draft, false);
  if (timer === "idle" && run.phase === "idle" && state.requests.length === 0) {
    beginClosing(draft, "idle", "interrupted");
    return draft.emitState({ reason: "idle" });
  }
}
