// SPDX-License-Identifier: MIT OR Apache-2.0
// Prompts that go into the running turn. Such a prompt is a queued turn of its own, so that it runs if the agent does not
// take it in. If the agent does, that turn ends as `steered`.
import type { Outcome } from "../../../acp-client/agent-events.ts";
import type { SteeringOutcome } from "../../../acp-client/model.ts";
import type { Draft } from "./draft.ts";
import { noteActivity } from "./silence.ts";
import type { QueuedTurn, SessionState } from "./state.ts";
import { emitTurnEnded, startNextTurnOrIdle, toErrorBody, unasked } from "./turns.ts";

/** Whether the agent can be asked to take a prompt into its running turn. A turn that is being cancelled takes none. */
export function canSteer({ run, agentSide }: SessionState): boolean {
  return run.phase === "turn" && !run.turn.cancelling && agentSide?.capabilities["steering"] === true;
}

export function onSteered(draft: Draft, turn: number, outcome: Outcome<SteeringOutcome>): void {
  const { state } = draft;
  // An agent that exits reports it by its own event, which ends the turn.
  if (!outcome.ok && outcome.failure.code === "AGENT_EXITED") return;
  const queued = state.queue.find((one) => one.turn === turn && one.steering);
  if (queued) settle(draft, queued, outcome);
  else if (outcome.ok && hasTaken(outcome.value)) {
    const message = "the agent has taken the prompt in, though it was cancelled meanwhile";
    draft.add({ kind: "diagnostic", turn, what: "steered-late", message });
  }
  if (state.run.phase === "draining" && state.run.turn === turn) startNextTurnOrIdle(draft);
}

function settle(draft: Draft, queued: QueuedTurn, outcome: Outcome<SteeringOutcome>): void {
  const { state } = draft;
  const { turn } = queued;
  const others = state.queue.filter((one) => one !== queued);
  if (outcome.ok && hasTaken(outcome.value)) {
    state.queue = others;
    noteActivity(draft);
    const into = state.run.phase === "turn" ? state.run.turn.turn : state.lastTurn;
    const where = outcome.value === "injected" ? { into } : {};
    return emitTurnEnded(draft, turn, { stopReason: "steered", sent: true, steering: outcome.value, ...where });
  }
  if (!outcome.ok && !isRefusal(outcome)) {
    state.queue = others;
    const error = toErrorBody(outcome.failure);
    // It must not run again.
    return emitTurnEnded(draft, turn, { stopReason: "failed", sent: "unknown", error });
  }
  state.queue = state.queue.map((one) => (one === queued ? unasked(one) : one));
  const steering = outcome.ok ? outcome.value : "failed";
  const error = outcome.ok ? {} : { error: toErrorBody(outcome.failure) };
  draft.add({ kind: "turn", turn, phase: "queued", steering, ...error });
}

function hasTaken(outcome: SteeringOutcome): outcome is "injected" | "startedNewTurn" {
  return outcome === "injected" || outcome === "startedNewTurn";
}

/** Whether it is certain that the agent has not taken the prompt in: it said so, or was not asked. */
function isRefusal({ failure }: Extract<Outcome<unknown>, { ok: false }>): boolean {
  return failure.rpc !== undefined || failure.code === "UNSUPPORTED";
}
