// SPDX-License-Identifier: MIT OR Apache-2.0
// Turns, from the accepted prompt to the single `ended` entry.
import type { AgentFailure } from "../../../acp-client/agent-events.ts";
import type { TokenUsage } from "../../../acp-client/model.ts";
import type { ContentBlock, Sent, Steering } from "../../vocabulary/entries.ts";
import { type ErrorBody, errorBody } from "../../vocabulary/errors.ts";
import { type Cost, costSince } from "../../vocabulary/usage.ts";
import type { Draft } from "./draft.ts";
import { toTokenCounts } from "./map-update.ts";
import { endAllRequests } from "./requests/request-life.ts";
import type { QueuedTurn } from "./state.ts";
import { armSilence } from "./silence.ts";
import { closeOpenTools } from "./tools/tool-calls.ts";

export interface TurnEnd {
  readonly stopReason: string;
  readonly sent: Sent;
  readonly forced?: true;
  readonly error?: ErrorBody;
  readonly usage?: TokenUsage;
  readonly steering?: Steering;
  readonly into?: number;
}

export function toBlocks(prompt: string | readonly ContentBlock[]): readonly ContentBlock[] {
  return typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
}

/** Assigns the turn's number and logs its prompt, one `message` entry per block. */
export function acceptPrompt(
  draft: Draft,
  blocks: readonly ContentBlock[],
  phase: "queued" | "started",
  steers = false,
): number {
  const { state } = draft;
  const turn = state.turns + 1;
  state.turns = turn;
  draft.add({ kind: "turn", turn, phase, ...(steers ? { steering: "asked" as const } : {}) });
  for (const [index, content] of blocks.entries()) {
    draft.add({ kind: "message", turn, role: "user", message_id: `t${turn}-u${index + 1}`, content });
  }
  return turn;
}

export function startTurn(draft: Draft, { turn, by, blocks, alwaysAsk }: QueuedTurn): void {
  const { state } = draft;
  if (state.run.phase === "idle") draft.effect({ type: "disarm", timer: "idle", key: "" });
  const { now } = draft.context;
  state.run = {
    phase: "turn",
    turn: { turn, by, cancelling: false, echo: promptText(blocks), activeAt: now, isSilent: false, signs: {} },
  };
  state.lastTurn = turn;
  state.alwaysAsk = alwaysAsk === true;
  state.openMessage = null;
  draft.effect({ type: "prompt", turn, blocks, transcript: state.transcriptOwed });
  state.transcriptOwed = false;
  armSilence(draft, turn);
}

/** Starts the next queued turn, or makes the session idle. Between two turns no `idle` is reported. */
export function startNextTurnOrIdle(draft: Draft): void {
  const { state } = draft;
  const [next, ...rest] = state.queue;
  if (next?.steering) {
    state.run = { phase: "draining", turn: next.turn };
    return;
  }
  if (next) {
    state.queue = rest;
    draft.add({ kind: "turn", turn: next.turn, phase: "started" });
    startTurn(draft, next);
    return;
  }
  state.run = { phase: "idle" };
  if (state.requests.length === 0) draft.armIdle();
}

/** Ends the running turn with all that is open in it. The caller sets the next phase. */
export function endRunningTurn(draft: Draft, end: TurnEnd, via: "cancel" | "agent" | "end" | "restart"): void {
  const { state } = draft;
  if (state.run.phase !== "turn") return;
  const { turn, cancelling } = state.run.turn;
  endAllRequests(draft, via);
  closeOpenTools(draft);
  draft.effect({ type: "disarm", timer: "silence", key: String(turn) });
  if (cancelling) draft.effect({ type: "disarm", timer: "cancel", key: String(turn) });
  emitTurnEnded(draft, turn, end, costSince(state.cost.counted, state.cost.reported));
  state.cost = { ...state.cost, counted: state.cost.reported };
}

/** Ends every queued turn as never sent. `error`: why the session was lost, if it was. */
export function endQueuedTurns(draft: Draft, stopReason: "cancelled" | "interrupted", error?: ErrorBody): number[] {
  const { state } = draft;
  const { queue } = state;
  state.queue = [];
  for (const { turn, steering } of queue)
    emitTurnEnded(draft, turn, { stopReason, sent: sentIfSteering(steering), ...(error ? { error } : {}) });
  return queue.map(({ turn }) => turn);
}

/** The same queued turn, as one that the agent was not asked to take into its running turn. */
export function unasked(queued: QueuedTurn): QueuedTurn {
  const { steering: _, ...rest } = queued;
  return rest;
}

/** The agent may have taken in a prompt of which it has not said so. */
export function sentIfSteering(steering: boolean | undefined): Sent {
  return steering === true ? "unknown" : false;
}

export function emitTurnEnded(draft: Draft, turn: number, end: TurnEnd, cost?: Cost): void {
  const usage = { ...toTokenCounts(end.usage ?? {}), ...(cost === undefined ? {} : { cost }) };
  draft.add({
    kind: "turn",
    turn,
    phase: "ended",
    stop_reason: end.stopReason,
    sent: end.sent,
    ...(end.forced ? { forced: true as const } : {}),
    ...(end.steering ? { steering: end.steering } : {}),
    ...(end.into === undefined ? {} : { into: end.into }),
    ...(end.error ? { error: end.error } : {}),
    ...(Object.keys(usage).length === 0 ? {} : { usage }),
  });
}

export function toErrorBody(failure: AgentFailure): ErrorBody {
  return errorBody(failure.code, failure.message, {
    ...(failure.rpc ? { rpc: failure.rpc } : {}),
    ...(failure.methods ? { methods: failure.methods } : {}),
    ...(failure.agent === undefined ? {} : { agent: failure.agent }),
    ...(failure.exit ? { exit: failure.exit } : {}),
    ...(failure.stderrTail ? { stderr_tail: failure.stderrTail } : {}),
  });
}

function promptText(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => (typeof block["text"] === "string" ? block["text"] : "")).join("");
}
