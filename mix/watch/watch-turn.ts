// SPDX-License-Identifier: MIT OR Apache-2.0
// Follows a session until it is ready, or one turn to its end and optionally the session until it is closed.
import type { Entry } from "../../agentd/vocabulary/entries.ts";
import type { AgentBus } from "../../agent-client/requests/ask.ts";
import { type AskedEntry, isAsked } from "../../agent-client/view/open-questions.ts";
import { done, type Outcome } from "../process/exit-codes.ts";
import { AgentError } from "../../agent-client/agent-error.ts";
import { MixError, ownError } from "../process/mix-error.ts";
import { subjectOf } from "../questions/subject.ts";
import { isInteractive } from "../attach/is-interactive.ts";
import { endedOutcome, isUnanswered, TurnTracker, unansweredMessage, reportFailure } from "./turn-outcome.ts";
import type { Invocation } from "../input/verb.ts";
import { watchSession } from "./watch-session.ts";

export interface TurnToWatch {
  readonly session: string;
  /** What a person types for the session, if it has a name. */
  readonly called?: string | undefined;
  readonly turn: number;
  /** The `seq` after which to follow. */
  readonly after: number;
  /** Closes the session after the turn, and follows until it is closed. */
  readonly closes: boolean;
  /** Shows only this turn's entries, not those of earlier turns. */
  readonly onlyTurn: boolean;
  /** Nobody is to be asked: the first question that no policy answers ends the turn. */
  readonly noAsk: boolean;
  /** The session's working directory, if no followed entry tells it. */
  readonly directory?: string;
}

export async function watchTurn(invocation: Invocation, bus: AgentBus, what: TurnToWatch): Promise<Outcome> {
  const watch = new TurnTracker(what.turn, isInteractive(invocation));
  let last = what.after;
  let unanswered = 0;
  let question: Question | undefined;
  const ended = await watchSession(invocation, bus, {
    session: what.session,
    called: what.called,
    after: what.after,
    showPrompts: false,
    reportsFailure: true,
    ...(what.directory === undefined ? {} : { directory: what.directory }),
    asksNobody: what.noAsk,
    shows: (entry) => !what.onlyTurn || isOfTurn(entry, what.turn),
    decide: (entry, isAnswered) => {
      last = entry.seq;
      const isOfOthers = what.onlyTurn && entry.turn !== what.turn;
      if (what.noAsk && !isOfOthers && isQuestion(entry) && !isAnswered) {
        question = entry;
        return { kind: "refused", code: "UNANSWERED" };
      }
      if (entry.turn === what.turn && isUnanswered(entry)) unanswered += 1;
      return watch.observe(entry, isAnswered);
    },
  });
  if (question !== undefined) {
    await endQuestion(bus, what.session, question);
    if (what.closes) await closeAndFollow(invocation, bus, what.session, last);
    throw nobodyAsked(what.session, question);
  }
  const outcome = await withSessionError(bus, what.session, ended);
  if (outcome.kind === "refused" && outcome.code === "UNANSWERED") {
    throw ownError(
      "UNANSWERED",
      `session ${what.session} waits for an answer without a time limit, and nobody is told: no notify is on the Bus, and this is not a terminal; answer with mix agent permit or mix agent answer`,
    );
  }
  if (what.closes && outcome.kind === "turn") await closeAndFollow(invocation, bus, what.session, last);
  const words = unansweredMessage(unanswered);
  if (words !== undefined) invocation.output.word(words);
  reportFailure(invocation.output, what.session, outcome);
  return outcome;
}

/** Follows a starting session until it is idle, or has failed and the reason was reported. */
export async function watchStart(
  invocation: Invocation,
  bus: AgentBus,
  { session, called, after, noAsk }: Pick<TurnToWatch, "session" | "called" | "after" | "noAsk">,
): Promise<Outcome> {
  let question: Question | undefined;
  const ended = await watchSession(invocation, bus, {
    session,
    called,
    after,
    showPrompts: false,
    reportsFailure: true,
    asksNobody: noAsk,
    decide: (entry, isAnswered) => {
      if (!noAsk || !isQuestion(entry) || isAnswered) return readyOutcome(entry);
      question = entry;
      return { kind: "refused", code: "UNANSWERED" };
    },
  });
  if (question !== undefined) {
    await endQuestion(bus, session, question);
    throw nobodyAsked(session, question);
  }
  const outcome = await withSessionError(bus, session, ended);
  reportFailure(invocation.output, session, outcome);
  return outcome;
}

type Question = Entry & AskedEntry;

function isQuestion(entry: Entry): entry is Question {
  return isAsked(entry) && entry.phase === "requested";
}

/** Cancels the question, with the turn that it belongs to. */
async function endQuestion(bus: AgentBus, session: string, { kind, request, turn }: Question): Promise<void> {
  try {
    if (turn !== undefined) await bus.ask("agent.session.cancel", { session, turn });
    else if (kind === "permission") await bus.ask("agent.permission.answer", { request, cancelled: true });
    else await bus.ask("agent.elicitation.answer", { request, action: "cancel" });
  } catch (error) {
    // The turn or the session has ended meanwhile.
    if (!(error instanceof AgentError)) throw error;
  }
}

function nobodyAsked(session: string, question: Question): MixError {
  const ended = question.turn === undefined ? "the question" : `turn ${question.turn}`;
  // Policies answer permissions only.
  const advice = question.kind === "permission" ? "; `mix agent start --policy` can allow it without a person" : "";
  const asked = `the agent asked: ${subjectOf(question, subjectColumnsMax)} (${question.request})`;
  const message = `${asked}; with --no-ask nobody is asked, so ${ended} was cancelled${advice}`;
  return new MixError("UNANSWERED", message, { details: { session } });
}

const subjectColumnsMax = 200;

function readyOutcome(entry: Entry): Outcome | undefined {
  if (entry.kind !== "state") return undefined;
  return entry.state === "idle" ? done : endedOutcome(entry);
}

/** Adds the session's error to a failure whose entry carries none. */
async function withSessionError(bus: AgentBus, session: string, outcome: Outcome): Promise<Outcome> {
  const isUnexplained =
    (outcome.kind === "turn" && (outcome.stopReason === "failed" || outcome.stopReason === "interrupted")) ||
    (outcome.kind === "ended" && outcome.state !== "closed");
  if (!isUnexplained || outcome.error !== undefined) return outcome;
  const { error } = await bus.ask("agent.session.get", { session });
  return error === undefined ? outcome : { ...outcome, error };
}

async function closeAndFollow(invocation: Invocation, bus: AgentBus, session: string, after: number): Promise<void> {
  try {
    await bus.ask("agent.session.close", { session });
  } catch (error) {
    // The session has ended already.
    if (error instanceof AgentError && error.code === "SESSION_STATE") return;
    throw error;
  }
  // The view of the turn is gone, and with it what it knew of the turn's tool calls and questions.
  const shows = ({ kind }: Entry): boolean => kind === "state" || invocation.output.mode === "json";
  await watchSession(invocation, bus, { session, after, showPrompts: false, shows, decide: closedOutcome });
}

function closedOutcome(entry: Entry): Outcome | undefined {
  return entry.kind === "state" ? endedOutcome(entry) : undefined;
}

// State entries belong to no turn, but whoever waits for a turn must see the session fail.
function isOfTurn(entry: Entry, turn: number): boolean {
  return entry.turn === undefined ? entry.kind === "state" : entry.turn === turn && entry.late !== true;
}
