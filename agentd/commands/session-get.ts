// SPDX-License-Identifier: MIT OR Apache-2.0
// agent.session.get: a snapshot of one session, with the seq that it is up to date with.
import { formatCursor } from "../log/cursor.ts";
import type { Unanswered } from "../log/sessions.ts";
import { callLimits, type SessionSnapshot } from "../vocabulary/index.ts";
import { truncateFields } from "../session/core/bounded-fields.ts";
import type { SessionState } from "../session/core/state.ts";
import { findSession, type Handler, ok, refuse } from "./call.ts";
import type { Instance } from "./instance.ts";
import { listOpenRequests } from "./list-requests.ts";
import { summaryOf } from "./session-list.ts";

export const getSession: Handler<"agent.session.get", "log" | "sessions"> = (instance, { args }) => {
  const session = findSession(instance, args.session);
  if (typeof session !== "string") return session;
  const snapshot = snapshotOf(instance, session);
  return snapshot ? ok(snapshot) : refuse("SESSION_UNKNOWN", `"${session}" is not a session of an agent`, { session });
};

/** Reads without awaiting, so that the snapshot is consistent. */
export function snapshotOf(
  { log, sessions }: Pick<Instance, "log" | "sessions">,
  session: string,
): SessionSnapshot | undefined {
  const row = log.sessions.row(session);
  const state = sessions.get(session);
  if (!row || row.state === null || !state) return undefined;
  const latest = log.sessions.latest(session);
  const usage = latest?.usage;
  const snapshot = {
    ...summaryOf(row),
    log: log.id,
    cursor: formatCursor(log.id, session, row.last_seq),
    ...(latest?.state?.error === undefined ? {} : { error: latest.state.error }),
    ...(state.command === undefined ? {} : { command: state.command }),
    ...(state.policy === undefined ? {} : { policy: state.policy }),
    additional_dirs: latest?.life?.additional_dirs ?? [],
    agent_info: latest?.up?.agent_info ?? null,
    protocol_version: latest?.up?.protocol_version ?? null,
    capabilities: latest?.up?.capabilities ?? {},
    agent_session_id: row.agent_session_id,
    running: runningTurn(state),
    queued: state.queue.map(({ turn }) => ({ turn })),
    options: latest?.options?.options ?? [],
    commands: latest?.commands?.commands ?? [],
    plan: latest?.plan?.entries ?? [],
    usage: usage ? { used: usage.used, size: usage.size, ...(usage.cost ? { cost: usage.cost } : {}) } : null,
    ...(row.usage === null ? {} : { usage_total: row.usage }),
    children: log.sessions.children(session),
    ...(row.requests === 0 ? {} : unansweredIn(log.sessions.unanswered(session))),
  };
  // An agent may have sent more than a frame of the Bus holds. Its session must be shown nevertheless.
  return {
    ...truncateFields(snapshot, { options: [], commands: [], plan: [], capabilities: {} }, callLimits.snapshotBytesMax),
    requests: listOpenRequests([state], () => true, callLimits.questionsBytesMax).requests,
  };
}

function unansweredIn(unanswered: Unanswered): Pick<SessionSnapshot, "unanswered"> {
  return unanswered.permissions + unanswered.elicitations === 0 ? {} : { unanswered };
}

function runningTurn({ run }: SessionState): SessionSnapshot["running"] {
  if (run.phase === "turn") return { turn: run.turn.turn, state: run.turn.cancelling ? "cancelling" : "running" };
  return run.phase === "draining" ? { turn: run.turn, state: "draining" } : null;
}
