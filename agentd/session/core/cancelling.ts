// SPDX-License-Identifier: MIT OR Apache-2.0
// Rules for cancels: a person's or program's command, and what agentd itself does for an editor that has left the Bus.
import { type Draft, refuse } from "./draft.ts";
import { beginClosing } from "./end-run.ts";
import type { Command, RefusedDecision } from "./input.ts";
import { cancelAllRequests } from "./requests/request-life.ts";
import type { QueuedTurn, RunningTurn } from "./state.ts";
import { emitTurnEnded, sentIfSteering } from "./turns.ts";

/** Cancels one turn or all of them: ACP's session/cancel for the running one, and queued ones end unsent. */
export function decideCancel(draft: Draft, command: Command<"agent.session.cancel">): RefusedDecision | void {
  const { state } = draft;
  const { turn: only } = command.args;
  if (only !== undefined && only > state.turns) {
    return refuse("ARGUMENT", `this session has had ${state.turns} turns`, { field: "turn" });
  }
  const seq = draft.command(command);
  const { by } = command;
  // Outside a turn, requests may be pending too; those of a running turn are cancelled with it.
  if (only === undefined && state.run.phase === "idle") cancelAllRequests(draft, { by, via: "cancel" });
  const turns = cancelTurns(draft, by, ({ turn }) => only === undefined || only === turn);
  draft.accept(command, seq, { turns });
}

/**
 * Cancels the turns that the editor has prompted, and closes a session that it has started and nobody has prompted: an
 * editor that was killed could not, and lists would not show it. agentd is the author: nobody asked for it by a command.
 */
export function stopWorkOf(draft: Draft, citizen: string): void {
  const { state } = draft;
  const { phase } = state.run;
  if (state.turns === 0 && state.startedBy === citizen && phase !== "closing" && phase !== "ended") {
    const reason = `${citizen} has left the Bus`;
    beginClosing(draft, reason, "cancelled");
    return draft.emitState({ reason });
  }
  const isTheirs = ({ by }: Prompted): boolean => by === citizen;
  const isRunning = state.run.phase === "turn" && !state.run.turn.cancelling && isTheirs(state.run.turn);
  if (!isRunning && !state.queue.some(isTheirs)) return;
  const verb = "agent.session.cancel";
  const args = { reason: `${citizen} has left the Bus` };
  const seq = draft.add({ kind: "command", verb, by: null, origin: "agentd", args });
  const turns = cancelTurns(draft, null, isTheirs);
  draft.emitState();
  draft.add({ kind: "reply", verb, command_seq: seq, rc: 0, body: { session: state.id, seq, turns } });
}

type Prompted = Pick<RunningTurn & QueuedTurn, "turn" | "by">;

/** Returns the numbers of the cancelled turns. */
function cancelTurns(draft: Draft, by: string | null, which: (turn: Prompted) => boolean): number[] {
  const { state } = draft;
  const turns: number[] = [];
  if (state.run.phase === "turn" && which(state.run.turn)) {
    turns.push(state.run.turn.turn);
    if (!state.run.turn.cancelling) cancelRunningTurn(draft, state.run.turn, by);
  }
  const cancelled = state.queue.filter(which);
  state.queue = state.queue.filter((queued) => !which(queued));
  for (const { turn, steering } of cancelled) {
    emitTurnEnded(draft, turn, { stopReason: "cancelled", sent: sentIfSteering(steering) });
  }
  return [...turns, ...cancelled.map(({ turn }) => turn)];
}

function cancelRunningTurn(draft: Draft, running: RunningTurn, by: string | null): void {
  // Cancel first: an agent that hears the answers first takes them for rejections and its turn for ended.
  draft.effect({ type: "cancel" });
  cancelAllRequests(draft, { by, via: "cancel" });
  draft.state.run = { phase: "turn", turn: { ...running, cancelling: true } };
  const afterMs = draft.context.limits.cancelForceMs;
  draft.effect({ type: "arm", timer: "cancel", key: String(running.turn), afterMs });
}
