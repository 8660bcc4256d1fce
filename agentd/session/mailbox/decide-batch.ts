// SPDX-License-Identifier: MIT OR Apache-2.0
// The decisions of one flush, each upon the states that the ones before it left. Nothing of it counts until the log
// holds it.
import { approximateLength } from "../../../json/approximate-length.ts";
import { agentSessionsMax } from "../../authority/model.ts";
import { isFromAgent } from "../../authority/sender.ts";
import type { Commit } from "../../log/append.ts";
import { type ErrorBody, errorBody } from "../../vocabulary/index.ts";
import { refuse } from "../core/draft.ts";
import type { Context, Decision } from "../core/input.ts";
import { overdueIn } from "../core/requests/open-requests.ts";
import { startSession } from "../core/start.ts";
import { isLive, type SessionState } from "../core/state.ts";
import { step } from "../core/step.ts";
import type { LiveSessions } from "../live-sessions.ts";
import { isCommanding, type Posted, refusalReply, type SentReply } from "./posted.ts";
import type { Recall, RecallBatch, Recalled } from "./recall.ts";

export interface Batch {
  /** How many inputs it took. */
  readonly taken: number;
  readonly states: ReadonlyMap<string, SessionState>;
  readonly decided: readonly Decided[];
  readonly refusals: readonly SentReply[];
  /** Commands that were accepted before. */
  readonly recalled: readonly Recalled[];
  readonly commits: readonly Commit[];
  readonly recall: RecallBatch;
}

export interface Decided {
  readonly posted: Posted;
  readonly decision: Accepted;
}

type Accepted = Exclude<Decision, { refusal: ErrorBody }>;

export interface DecideBatchOptions {
  readonly sessions: LiveSessions;
  readonly recall: Recall;
  readonly context: Context;
  readonly entriesMax: number;
  /** Of the entries' texts. */
  readonly bytesMax: number;
}

/** Takes inputs until their entries reach `entriesMax` or `bytesMax`; at least one. */
export function decideBatch(waiting: readonly Posted[], options: DecideBatchOptions): Batch {
  const { sessions, recall, context, entriesMax, bytesMax } = options;
  const states = new Map<string, SessionState>();
  const decided: Decided[] = [];
  const refusals: SentReply[] = [];
  const recalled: Recalled[] = [];
  const commits: Commit[] = [];
  const known = recall.batch();
  let taken = 0;
  let entries = 0;
  let bytes = 0;
  for (const posted of waiting) {
    if (entries >= entriesMax || bytes >= bytesMax) break;
    taken += 1;
    const before = known.lookUp(posted);
    if (before) {
      recalled.push(before);
      continue;
    }
    const state = stateOf(posted, sessions, states);
    // Before all else, what the clock says is over ends: a question that nobody answered in time takes no answer.
    for (const input of state ? overdueIn(state, context.now) : []) take({ session: posted.session, input });
    take(posted);
  }
  return { taken, states, decided, refusals, recalled, commits, recall: known };

  function take(posted: Posted): void {
    const before = stateOf(posted, sessions, states);
    const decision = decide(posted, before, sessions, states, context);
    if (decision === undefined) return;
    if (decision.refusal) {
      refusals.push(refusalReply(posted, decision.refusal));
      return;
    }
    states.set(posted.session, decision.state);
    decided.push({ posted, decision });
    entries += decision.entries.length;
    bytes += approximateLength(decision.entries, bytesMax);
    const commit = known.commit(posted, before?.seq ?? 0, decision);
    if (commit) commits.push(commit);
  }
}

function stateOf(
  { session, input }: Posted,
  sessions: LiveSessions,
  states: ReadonlyMap<string, SessionState>,
): SessionState | undefined {
  return input.type === "start" ? undefined : (states.get(session) ?? sessions.get(session));
}

function decide(
  { session, input, life }: Posted,
  state: SessionState | undefined,
  sessions: LiveSessions,
  states: ReadonlyMap<string, SessionState>,
  context: Context,
): Decision | undefined {
  if (input.type === "start") {
    const refusal = whyNoMoreLive(input, input.session.name, liveStates(sessions, states));
    return refusal ? { refusal } : startSession(input.command, input.session, context);
  }
  if (!state) return isCommanding(input) ? refuse("SESSION_UNKNOWN", "no such session", { session }) : undefined;
  if (life !== undefined && life !== state.lifeSeq) return undefined;
  if (input.type === "resume" && !isLive(state)) {
    const refusal = whyNoMoreLive(input, state.name, liveStates(sessions, states));
    if (refusal) return { refusal };
  }
  return step(state, input, context);
}

function* liveStates(sessions: LiveSessions, states: ReadonlyMap<string, SessionState>): Generator<SessionState> {
  for (const state of sessions.all()) if (!states.has(state.id) && isLive(state)) yield state;
  for (const state of states.values()) if (isLive(state)) yield state;
}

function whyNoMoreLive(
  { command: { by }, maxSessions }: BeginningInput,
  name: string | undefined,
  live: Iterable<SessionState>,
): ErrorBody | undefined {
  let count = 0;
  let ofAgents = 0;
  for (const state of live) {
    count += 1;
    if (isFromAgent(state.begunBy)) ofAgents += 1;
    if (name !== undefined && (state.name === name || state.id === name)) {
      return errorBody("ARGUMENT", `a live session is named "${name}" already`, { field: "name", session: state.id });
    }
  }
  if (count >= maxSessions) {
    return errorBody("AGENT_LIMIT", `${count} sessions live: close one, or raise max_sessions`, {
      max_sessions: maxSessions,
    });
  }
  const share = agentSessionsMax(maxSessions);
  if (!isFromAgent(by) || ofAgents < share) return undefined;
  const message = `agents have begun ${ofAgents} of the live sessions and may have ${share} together: close one that you started`;
  return errorBody("AGENT_LIMIT", message, { max_sessions: maxSessions, of_agents: share });
}

type BeginningInput = Extract<Posted["input"], { readonly maxSessions: number }>;
