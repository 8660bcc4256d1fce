// SPDX-License-Identifier: MIT OR Apache-2.0
// Follows one turn to its end and, where it is wanted, the session to its close.
import type { Entry } from "../../agentd/vocabulary/entries.ts";
import type { AgentBus } from "../bus/ask.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { MixError, ownError } from "../process/mix-error.ts";
import { isInteractive } from "../attach/is-interactive.ts";
import { reportFailure } from "./report-failure.ts";
import { endedOutcome, isUnanswered, TurnTracker, unansweredMessage } from "./turn-outcome.ts";
import type { Invocation } from "../input/verb.ts";
import { watchSession } from "./watch-session.ts";

export interface TurnToWatch {
  readonly session: string;
  readonly turn: number;
  /** `seq` after which to look. */
  readonly after: number;
  /** Closes the session when the turn has ended, and follows until it is closed. */
  readonly closes: boolean;
  /** Shows this turn's entries alone, not those of turns before it. */
  readonly onlyTurn: boolean;
  /** The session's, where no entry is to say it. */
  readonly directory?: string;
}

export async function watchTurn(invocation: Invocation, bus: AgentBus, what: TurnToWatch): Promise<Outcome> {
  const watch = new TurnTracker(what.turn, isInteractive(invocation));
  let last = what.after;
  let unanswered = 0;
  const ended = await watchSession(invocation, bus, {
    session: what.session,
    after: what.after,
    showPrompts: false,
    reportsFailure: true,
    ...(what.directory === undefined ? {} : { directory: what.directory }),
    shows: (entry) => !what.onlyTurn || isOfTurn(entry, what.turn),
    decide: (entry) => {
      last = entry.seq;
      if (entry.turn === what.turn && isUnanswered(entry)) unanswered += 1;
      return watch.observe(entry);
    },
  });
  const outcome = await withSessionError(bus, what.session, ended);
  if (outcome.kind === "refused" && outcome.code === "UNANSWERED") {
    throw ownError(
      "UNANSWERED",
      `session ${what.session} asks and waits without a limit, and nobody is told: no notify is on the Bus, and nobody sits here; mix agent permit ls, mix agent answer`,
    );
  }
  if (what.closes && outcome.kind === "turn") await closeAndFollow(invocation, bus, what.session, last);
  const words = unansweredMessage(unanswered);
  if (words !== undefined) invocation.output.word(words);
  reportFailure(invocation.output, what.session, outcome);
  return outcome;
}

/** A turn or a session that ended badly may say why elsewhere than in the entry that was seen first. */
export async function withSessionError(bus: AgentBus, session: string, outcome: Outcome): Promise<Outcome> {
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
    // It is over already: what was wanted is so.
    if (error instanceof MixError && error.code === "SESSION_STATE") return;
    throw error;
  }
  await watchSession(invocation, bus, { session, after, showPrompts: false, decide: closedOutcome });
}

function closedOutcome(entry: Entry): Outcome | undefined {
  return entry.kind === "state" ? endedOutcome(entry) : undefined;
}

// What belongs to no turn (a session that fails, a late word between turns) concerns whoever waits for one.
function isOfTurn(entry: Entry, turn: number): boolean {
  return entry.turn === undefined ? entry.kind === "state" : entry.turn === turn && entry.late !== true;
}
