// SPDX-License-Identifier: MIT OR Apache-2.0
// Decides the inputs of one flush, each on the state that the ones before it left. Nothing counts until it is
// committed.
import { approximateLength } from "../../../json/approximate-length.ts";
import { agentSessionsMax } from "../../authority/model.ts";
import { isFromAgent } from "../../authority/sender.ts";
import type { Limits } from "../../config/limits.ts";
import type { Commit } from "../../log/append.ts";
import { type ErrorBody, errorBody } from "../../vocabulary/index.ts";
import { refuse } from "../core/draft.ts";
import type { AcceptedDecision, Decision, Sender, StepContext } from "../core/input.ts";
import { isClosingAsLeft, isIdleAndLeft } from "../core/left-session.ts";
import { findOverdue } from "../core/requests/request-life.ts";
import { startSession } from "../core/start.ts";
import { isLive, type SessionState } from "../core/state.ts";
import { step } from "../core/step.ts";
import type { LiveSessions } from "../live-sessions.ts";
import { isCommandInput, type PostedInput, toRefusalReply, type SentReply } from "./posted-input.ts";
import type { CommandDedup, CommandDedupBatch, RepeatedCommand } from "./command-dedup.ts";

export interface Batch {
  /** Number of inputs taken from the queue. */
  readonly inputCount: number;
  readonly states: ReadonlyMap<string, SessionState>;
  readonly decided: readonly Decided[];
  readonly refusals: readonly SentReply[];
  readonly repeated: readonly RepeatedCommand[];
  readonly commits: readonly Commit[];
  readonly dedup: CommandDedupBatch;
}

export interface Decided {
  readonly posted: PostedInput;
  readonly decision: AcceptedDecision;
}

export interface DecideBatchOptions {
  readonly sessions: LiveSessions;
  readonly dedup: CommandDedup;
  readonly context: StepContext;
  readonly limits: Pick<Limits, "entriesPerCommitMax" | "commitBytesMax">;
}

/** Decides inputs, at least one, until their entries reach a limit of one transaction; the rest goes into the next. */
export function decideBatch(waiting: readonly PostedInput[], options: DecideBatchOptions): Batch {
  const { sessions, dedup, context } = options;
  const { entriesPerCommitMax: entriesMax, commitBytesMax: bytesMax } = options.limits;
  const states = new Map<string, SessionState>();
  const decided: Decided[] = [];
  const refusals: SentReply[] = [];
  const repeated: RepeatedCommand[] = [];
  const commits: Commit[] = [];
  const batch = dedup.batch();
  let inputCount = 0;
  let entries = 0;
  let bytes = 0;
  for (const posted of waiting) {
    if (entries >= entriesMax || bytes >= bytesMax) break;
    inputCount += 1;
    const before = batch.findRepeated(posted);
    if (before) {
      repeated.push(before);
      continue;
    }
    const state = stateOf(posted, sessions, states);
    // End overdue requests first, so that none of them takes a late answer.
    for (const input of state ? findOverdue(state, context.now) : []) take({ session: posted.session, input });
    const room = findRoom(posted, state, liveStates(sessions, states), context);
    if (room !== undefined) take({ session: room, input: { type: "make_room" } });
    take(posted);
  }
  return { inputCount, states, decided, refusals, repeated, commits, dedup: batch };

  function take(posted: PostedInput): void {
    const before = stateOf(posted, sessions, states);
    const decision = decide(posted, before, sessions, states, context);
    if (decision === undefined) return;
    if (decision.refusal) {
      refusals.push(toRefusalReply(posted, decision.refusal));
      return;
    }
    states.set(posted.session, decision.state);
    decided.push({ posted, decision });
    entries += decision.entries.length;
    bytes += approximateLength(decision.entries, bytesMax);
    const commit = batch.toCommit(posted, before?.seq ?? 0, decision);
    if (commit) commits.push(commit);
  }
}

function stateOf(
  { session, input }: PostedInput,
  sessions: LiveSessions,
  states: ReadonlyMap<string, SessionState>,
): SessionState | undefined {
  return input.type === "start" ? undefined : (states.get(session) ?? sessions.get(session));
}

function decide(
  { session, input, runSeq }: PostedInput,
  state: SessionState | undefined,
  sessions: LiveSessions,
  states: ReadonlyMap<string, SessionState>,
  context: StepContext,
): Decision | undefined {
  if (input.type === "start") {
    const refusal = checkSessionLimits(input.command, input.session.name, liveStates(sessions, states), context);
    return refusal ? { refusal } : startSession(input.command, input.session, context);
  }
  if (!state) return isCommandInput(input) ? refuse("SESSION_UNKNOWN", "no such session", { session }) : undefined;
  if (runSeq !== undefined && runSeq !== state.runSeq) return undefined;
  if (input.type === "resume" && !isLive(state)) {
    const refusal = checkSessionLimits(input.command, state.name, liveStates(sessions, states), context);
    if (refusal) return { refusal };
  }
  if (input.type === "command" && input.command.verb === "agent.session.rename") {
    const refusal = checkName(input.command.args.name, liveStates(sessions, states), session);
    if (refusal) return { refusal };
  }
  return step(state, input, context);
}

function* liveStates(sessions: LiveSessions, states: ReadonlyMap<string, SessionState>): Generator<SessionState> {
  for (const state of sessions.all()) if (!states.has(state.id) && isLive(state)) yield state;
  for (const state of states.values()) if (isLive(state)) yield state;
}

function checkSessionLimits(
  { by }: Sender,
  name: string | undefined,
  live: Iterable<SessionState>,
  { settings: { maxSessions }, probes = 0 }: StepContext,
): ErrorBody | undefined {
  const all = [...live];
  const nameTaken = checkName(name, all);
  if (nameTaken) return nameTaken;
  const count = countPlaces(all, maxSessions) + probes;
  const ofAgents = all.filter(({ startedBy }) => isFromAgent(startedBy)).length;
  if (count >= maxSessions) {
    return errorBody("AGENT_LIMIT", `${count} sessions are live: close one, or raise max_sessions`, {
      max_sessions: maxSessions,
    });
  }
  const share = agentSessionsMax(maxSessions);
  if (!isFromAgent(by) || ofAgents < share) return undefined;
  const message = `agents have started ${ofAgents} live sessions, and may start ${share} together: close one that you started`;
  return errorBody("AGENT_LIMIT", message, { max_sessions: maxSessions, of_agents: share });
}

/** A session that made room does not count, so that the new one need not wait for its agent's end. */
function countPlaces(live: readonly SessionState[], maxSessions: number): number {
  return live.length - Math.min(live.filter(isClosingAsLeft).length, maxSessions);
}

/**
 * Returns the session to close before this start or resume, which would be refused: the one that its editors have left for
 * the longest time. Agents end no sessions of others this way.
 */
function findRoom(
  { input }: PostedInput,
  state: SessionState | undefined,
  live: Iterable<SessionState>,
  context: StepContext,
): string | undefined {
  const isResume = input.type === "resume" && state !== undefined && !isLive(state);
  if ((input.type !== "start" && !isResume) || isFromAgent(input.command.by)) return undefined;
  const name = input.type === "start" ? input.session.name : state?.name;
  const all = [...live];
  const check = (others: readonly SessionState[]) => checkSessionLimits(input.command, name, others, context);
  if (check(all)?.error_code !== "AGENT_LIMIT") return undefined;
  const [longest] = all.filter(isIdleAndLeft).toSorted((a, b) => (a.left?.at ?? 0) - (b.left?.at ?? 0));
  return longest && !check(all.filter((one) => one !== longest)) ? longest.id : undefined;
}

/** Checks that no live session but `own` has the name. */
function checkName(name: string | undefined, live: Iterable<SessionState>, own?: string): ErrorBody | undefined {
  if (name === undefined || name === "") return undefined;
  for (const { id, name: taken } of live) {
    if (id === own || (taken !== name && id !== name)) continue;
    return errorBody("ARGUMENT", `a live session is already named "${name}"`, { field: "name", session: id });
  }
  return undefined;
}
