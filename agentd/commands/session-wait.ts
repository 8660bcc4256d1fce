// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.session.wait: answers as soon as the session is idle, waiting or ended. A timeout is an ordinary reply with
// `timed_out`, not an error.
import type { Answer } from "../../bus-client/index.ts";
import { phaseOf, type SessionState } from "../session/core/state.ts";
import { isEnded, type WaitReply } from "../vocabulary/index.ts";
import { findSession, type Handler, ok, refuse } from "./call.ts";
import { cursorRefusal, parseCursorArgument } from "./session-log.ts";

type Until = "idle" | "waiting" | "ended";

/** The mesh limits a whole call to 30 s. */
const meshWaitMsMax = 25_000;

export const waitForSession: Handler<"agent.session.wait", "log" | "sessions" | "clock"> = (
  instance,
  { args, origin },
) => {
  const session = findSession(instance, args.session);
  if (typeof session !== "string") return session;
  const after = parseCursorArgument(args.after, instance.log.id, session);
  if (typeof after === "string") return cursorRefusal("after", after);
  const wanted: readonly Until[] = typeof args.until === "string" ? [args.until] : args.until;
  const first = instance.sessions.get(session);
  if (!first) return refuse("SESSION_UNKNOWN", `"${session}" is not a session of an agent`, { session });
  const timeoutMs = origin === "mesh" ? Math.min(args.timeout_ms, meshWaitMsMax) : args.timeout_ms;
  const met = metCondition(first, wanted, after);
  if (met) return answer(first, met);
  if (timeoutMs === 0) return answer(first, undefined);
  return new Promise((resolve) => {
    const finish = (state: SessionState, until: Until | undefined): void => {
      stopListening();
      cancelTimer();
      resolve(answer(state, until));
    };
    const stopListening = instance.sessions.onChange((state) => {
      const until = state.id === session ? metCondition(state, wanted, after) : undefined;
      if (until) finish(state, until);
    });
    const cancelTimer = instance.clock.after(timeoutMs, () =>
      finish(instance.sessions.get(session) ?? first, undefined),
    );
  });
};

/** An ended session meets every wait, since it will not become idle by itself. */
function metCondition(state: SessionState, wanted: readonly Until[], after: number | undefined): Until | undefined {
  const phase = phaseOf(state);
  if (isEnded(phase)) return "ended";
  if (after !== undefined && state.seq <= after) return undefined;
  if (phase === "idle" && wanted.includes("idle")) return "idle";
  return phase === "waiting" && wanted.includes("waiting") ? "waiting" : undefined;
}

function answer(state: SessionState, until: Until | undefined): Answer {
  const { run } = state;
  const ended = run.phase === "ended" ? run : undefined;
  const reply: WaitReply = {
    session: state.id,
    state: phaseOf(state),
    ...(ended?.reason === undefined ? {} : { reason: ended.reason }),
    ...(ended?.error === undefined ? {} : { error: ended.error }),
    last_seq: state.seq,
    ...(until === undefined ? {} : { until }),
    timed_out: until === undefined,
  };
  return ok(reply);
}
