// SPDX-License-Identifier: MIT OR Apache-2.0
// Decides one input upon one state: a refusal, or the next state with its entries, replies and effects. It awaits
// nothing, reads no clock and touches nothing outside; who calls it appends the entries, then acts, then publishes.
import { errorBody } from "../../vocabulary/errors.ts";
import { decideClientSide } from "./client-side/decide-client-side.ts";
import {
  answerPending,
  lose,
  onAgentEvent,
  onCameUp,
  onNotDrained,
  onNotResumable,
  onOpenFailed,
  onOptionSet,
  onPromptDone,
} from "./decide-agent.ts";
import { beginClosing, decideCommand } from "./decide-commands.ts";
import { Draft, idMember } from "./draft.ts";
import type { Context, Decision, SessionInput } from "./input.ts";
import { recover } from "./recover.ts";
import { expireRequest, noteSent, sayUnsent } from "./requests/ends.ts";
import { onPeopleAnswered, onPeopleNotAsked } from "./requests/people-answers.ts";
import { decideResume, onWayRefused } from "./resume.ts";
import { currentTurn, type SessionState } from "./state.ts";
import { closeOpenTools } from "./tools/tool-calls.ts";
import { endRunningTurn } from "./turns.ts";

export function step(state: SessionState, input: SessionInput, context: Context): Decision {
  const draft = new Draft(state, context);
  switch (input.type) {
    case "command":
      return decideCommand(draft, state, input.command);
    case "resume":
      return decideResume(draft, state, input);
    case "agent":
      onAgentEvent(draft, state, input.event, input.evidence);
      // The last words of an agent whose session has ended may open a tool call: no later agentd would look for it.
      if (draft.state.life.phase === "ended") closeOpenTools(draft);
      break;
    case "spawned":
      if (state.life.phase === "starting") draft.add({ kind: "state", state: "starting", process: input.process });
      break;
    case "came_up":
      onCameUp(draft, state, input);
      break;
    case "way_refused":
      onWayRefused(draft, input.way, input.failure);
      break;
    case "not_resumable":
      onNotResumable(draft, state, input.failure);
      break;
    case "replay_differs":
      draft.add({ kind: "diagnostic", what: "replay-differs", message: input.message });
      break;
    case "open_failed":
      onOpenFailed(draft, state, input.failure);
      break;
    case "prompt_done":
      onPromptDone(draft, state, input.turn, input.outcome);
      break;
    case "option_set":
      onOptionSet(draft, state, input.seq, input.option, input.outcome);
      break;
    case "kept":
      onKept(draft, input);
      break;
    case "answer_sent":
      noteSent(draft, input.request, currentTurn(draft.state).turn);
      break;
    case "client_side":
      decideClientSide(draft, input.input);
      break;
    case "people_answered":
      onPeopleAnswered(draft, state, input);
      break;
    case "people_not_asked":
      onPeopleNotAsked(draft, input);
      break;
    case "bus_tools_missing":
      onBusToolsMissing(draft, input.message);
      break;
    case "stopped":
      onStopped(draft, state);
      break;
    case "ended_unlogged":
      onStoreEnds(draft, state, "the agent was ended while the log could not be written");
      break;
    case "log_full":
      onStoreEnds(draft, state, "the log has reached its quota: purge or prune what is not needed, or raise log_quota");
      break;
    case "timer":
      onTimer(draft, state, input.timer, input.key);
      break;
    case "stop":
      onStop(draft, state);
      break;
    case "recover":
      recover(draft, state, input);
      break;
  }
  return draft.decision();
}

function onKept(draft: Draft, { seq, rc, body }: Extract<SessionInput, { type: "kept" }>): void {
  const pending = draft.state.pending.find((candidate) => candidate.seq === seq);
  if (!pending) return;
  const id = idMember(pending.commandId);
  draft.answer(pending, rc, { ...body, ...id, session: draft.state.id, seq });
}

/** Without a message of its own, the agent was given the server and has not started it. */
function onBusToolsMissing(draft: Draft, why: string | undefined): void {
  if (draft.state.life.phase === "ended") return;
  // It is said once in a life.
  draft.state.busToolsAwaited = false;
  const message =
    why ??
    "the agent has not started the MCP server that its session was given (mixos): it has no tools for the Bus. " +
      "Set bus_tools = false in the configuration if it is not to have them";
  draft.add({ kind: "diagnostic", what: "bus-tools-not-seen", message });
}

function onStopped(draft: Draft, before: SessionState): void {
  const { state } = draft;
  if (state.life.phase !== "closing" && state.life.phase !== "ended") return;
  // Its last words, on the way out, may have opened a tool call anew, or asked what nobody could answer any more.
  closeOpenTools(draft);
  sayUnsent(draft);
  if (state.life.phase === "ended") return;
  const { reason, error } = state.life;
  const end = error === undefined ? { reason } : { reason, error };
  state.life = { phase: "ended", state: error === undefined ? "closed" : "failed", ...end };
  draft.sayState(before, end);
}

function onStoreEnds(draft: Draft, before: SessionState, message: string): void {
  const { life } = draft.state;
  if (life.phase === "ended" || life.phase === "closing") return;
  const error = errorBody("STORE_FAILED", message);
  // Commands that the agent has been given may have run: for them it is the agent that has ended.
  answerPending(draft, errorBody("AGENT_EXITED", message));
  endRunningTurn(draft, { stopReason: "interrupted", sent: true, error }, "end");
  lose(draft, before, error, "the log could not be written");
}

function onTimer(draft: Draft, before: SessionState, timer: string, key: string): void {
  const { state, context } = draft;
  const { life } = state;
  if (timer === "permission" || timer === "elicitation") {
    const open = state.requests.find(({ request }) => request === key);
    if (open) expireRequest(draft, open);
    return draft.sayState(before);
  }
  if (timer === "cancel" && life.phase === "turn" && life.turn.cancelling && String(life.turn.turn) === key) {
    endRunningTurn(draft, { stopReason: "cancelled", sent: true, forced: true }, "cancel");
    state.life = { phase: "draining", turn: life.turn.turn };
    draft.effect({ type: "arm", timer: "drain", key, afterMs: context.settings.drainGraceMs });
    return draft.sayState(before, { reason: "draining" });
  }
  if (timer === "drain" && life.phase === "draining" && String(life.turn) === key) {
    return onNotDrained(draft, before);
  }
  if (timer === "idle" && life.phase === "idle" && state.requests.length === 0) {
    beginClosing(draft, "idle", "interrupted");
    return draft.sayState(before, { reason: "idle" });
  }
}

function onStop(draft: Draft, before: SessionState): void {
  const { life } = draft.state;
  if (life.phase === "ended" || life.phase === "closing") return;
  beginClosing(draft, "stop", "interrupted");
  draft.sayState(before, { reason: "stop" });
}
