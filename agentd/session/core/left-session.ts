// SPDX-License-Identifier: MIT OR Apache-2.0
// Sessions that their editors have left. An editor that is killed closes nothing, and its agent's process takes memory and
// a place among `max_sessions`; so agentd closes the session when nobody has used it for a while.
import type { Draft } from "./draft.ts";
import { beginClosing } from "./end-run.ts";
import type { SessionState } from "./state.ts";

const leftReason = "left";

/** The session's last lease has ended. */
export function noteLeft(draft: Draft, citizen: string): void {
  const { state, context } = draft;
  if (state.run.phase === "closing" || state.run.phase === "ended") return;
  state.left = { citizen, at: context.now };
  if (isIdleAndLeft(state)) draft.armLeft();
}

/** Somebody but the editor that has left uses the session: it is closed like any other from now on. */
export function noteUse(draft: Draft, by: string | null): void {
  if (draft.state.left?.citizen !== by) draft.state.left = null;
}

export function isIdleAndLeft({ run, requests, left }: SessionState): boolean {
  return left !== null && run.phase === "idle" && requests.length === 0;
}

/** Does nothing if the session is in use again. agentd is the author: nobody asked for it by a command. */
export function closeLeft(draft: Draft, isForRoom: boolean): void {
  const { state, context } = draft;
  const { left } = state;
  if (left === null || !isIdleAndLeft(state)) return;
  const why = isForRoom ? ", and a new session needs its place" : "";
  const args = { reason: `its editor ${left.citizen} left ${inWords(context.now - left.at)} ago${why}` };
  const verb = "agent.session.close";
  const seq = draft.add({ kind: "command", verb, by: null, origin: "agentd", args });
  beginClosing(draft, leftReason, "interrupted");
  draft.emitState({ reason: leftReason });
  draft.add({ kind: "reply", verb, command_seq: seq, rc: 0, body: { session: state.id, seq, state: "closing" } });
}

/** Whether such a session's agent is being stopped. */
export function isClosingAsLeft({ run }: SessionState): boolean {
  return run.phase === "closing" && run.reason === leftReason;
}

function inWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}
