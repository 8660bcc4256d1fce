// SPDX-License-Identifier: MIT OR Apache-2.0
// Logs once that the model has been silent in a running turn, while no tool runs but one that may hang, and no question
// is open. The turn goes on: some models think for long, and some agents retry a failing one without a word.
import type { AgentUpdate } from "../../../acp-client/model.ts";
import type { Draft } from "./draft.ts";
import type { RunningTurn } from "./state.ts";
import { listOpenTools } from "./tools/tool-ledger.ts";

/** Updates of the session and of the agent, which say nothing about the model. */
const otherKinds: ReadonlySet<AgentUpdate["kind"]> = new Set(["commands", "options", "info", "usage", "notice"]);

export function isFromModel(update: AgentUpdate): boolean {
  return update.kind === "message" ? update.role !== "user" : !otherKinds.has(update.kind);
}

export function armSilence(draft: Draft, turn: number, afterMs = draft.context.limits.modelSilenceMs): void {
  draft.effect({ type: "arm", timer: "silence", key: String(turn), afterMs });
}

/** The model or a tool did something, or a person answered: a silence ends, and may begin again. */
export function noteActivity(draft: Draft): void {
  const { state, context } = draft;
  if (state.run.phase !== "turn") return;
  const { turn } = state.run;
  state.run = { phase: "turn", turn: { ...turn, activeAt: context.now, isSilent: false } };
  if (turn.isSilent) armSilence(draft, turn.turn);
}

export function onSilenceTimer(draft: Draft, turn: RunningTurn): void {
  const { state, context } = draft;
  const { modelSilenceMs } = context.limits;
  if (turn.cancelling || turn.isSilent) return;
  // Each activity only notes its time: to arm the timer again with every chunk would cost more than it is worth.
  const silentMs = context.now - turn.activeAt;
  if (silentMs < modelSilenceMs) return armSilence(draft, turn.turn, modelSilenceMs - Math.max(0, silentMs));
  const open = listOpenTools(state.tools);
  const { mayHang } = turn.signs;
  const why = mayHang !== undefined && open.includes(mayHang.toolCallId) ? mayHang.why : undefined;
  if (state.requests.length > 0 || (open.length > 0 && why === undefined)) return armSilence(draft, turn.turn);
  state.run = { phase: "turn", turn: { ...turn, isSilent: true } };
  draft.add({
    kind: "diagnostic",
    turn: turn.turn,
    what: "model-silent",
    message: `no answer from the model for ${Math.round(silentMs / 1000)} s${why === undefined ? "" : `: ${why}`}`,
    since: new Date(turn.activeAt).toISOString(),
  });
}
