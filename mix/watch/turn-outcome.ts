// SPDX-License-Identifier: MIT OR Apache-2.0
// Determines the outcome of a turn from its entries, and reports a failure.
import { verdictOf } from "../../agent-client/view/decision.ts";
import { type AskedEntry, isAsked, OpenQuestions } from "../../agent-client/view/open-questions.ts";
import { type Entry, isEnded, type SessionPhase } from "../../agentd/vocabulary/entries.ts";
import { formatCount } from "../../display/units.ts";
import { exitCodeOf, type Outcome, type OutcomeError } from "../process/exit-codes.ts";
import { MixError } from "../process/mix-error.ts";
import type { Output } from "../process/output.ts";

export class TurnTracker {
  readonly #turn: number;
  /** Whether a person at this terminal can be asked. */
  readonly #isInteractive: boolean;
  #questions = new OpenQuestions();
  #refusedByPerson = false;
  #unanswered = false;

  constructor(turn: number, isInteractive: boolean) {
    this.#turn = turn;
    this.#isInteractive = isInteractive;
  }

  /** Returns the outcome once an entry decides it. `isAnswered`: it is a question that was answered at once. */
  observe(entry: Entry, isAnswered = false): Outcome | undefined {
    if (entry.kind === "state") return endedOutcome(entry);
    // A cancelled turn did not end because of a refused tool.
    if (entry.kind === "command" && entry.verb === "agent.session.cancel") this.#refusedByPerson = false;
    if (entry.turn !== this.#turn) return undefined;
    if (isAsked(entry)) return this.#request(entry, isAnswered);
    if (entry.kind !== "turn" || entry.phase !== "ended") return undefined;
    return {
      kind: "turn",
      stopReason: entry.stop_reason ?? "failed",
      ...(entry.error === undefined ? {} : { error: entry.error }),
      refusedByPerson: this.#refusedByPerson,
      unanswered: this.#unanswered,
    };
  }

  #request(entry: AskedEntry, isAnswered: boolean): Outcome | undefined {
    const asked = this.#questions.get(entry.request);
    this.#questions = this.#questions.apply(entry);
    if (entry.phase === "requested") {
      const nobody = entry.notified === false && !this.#isInteractive && !isAnswered;
      // Without a time limit the turn would wait forever for a person who is not told.
      return nobody && entry.expires_at === null ? { kind: "refused", code: "UNANSWERED" } : undefined;
    }
    if (entry.phase !== "resolved") return undefined;
    if (entry.via === "timeout" && asked?.notified === false && !this.#isInteractive) this.#unanswered = true;
    const byPerson = entry.via === undefined || entry.via === "notify";
    const isRefusal = ["refused", "cancelled"].includes(verdictOf(entry, asked));
    if (byPerson && isRefusal) this.#refusedByPerson = true;
    return undefined;
  }
}

/** Returns undefined while the session is live. */
export function endedOutcome(entry: {
  readonly state: SessionPhase;
  readonly error?: OutcomeError;
}): Extract<Outcome, { kind: "ended" }> | undefined {
  const { state, error } = entry;
  if (!isEnded(state)) return undefined;
  return { kind: "ended", state, ...(error === undefined ? {} : { error }) };
}

/** A question that timed out counts as refused. A person who was away should be told. */
export function isUnanswered(entry: Entry): boolean {
  return isAsked(entry) && entry.via === "timeout";
}

export function unansweredMessage(count: number): string | undefined {
  if (count === 0) return undefined;
  return `${formatCount(count, "question was", "questions were")} refused: nobody answered`;
}

/**
 * Reports on stderr why a turn or a session failed. With --json and --quiet nothing else does, and the live view leaves
 * the reason to this report.
 */
export function reportFailure(output: Output, session: string, outcome: Outcome): void {
  if (exitCodeOf(outcome) === 0 || (outcome.kind === "ended" && outcome.isErrorShown === true)) return;
  const failure = failureOf(outcome);
  if (failure !== undefined) output.error(new MixError(failure.code, failure.message, { details: { session } }));
}

function failureOf(outcome: Outcome): { readonly code: string; readonly message: string } | undefined {
  switch (outcome.kind) {
    case "turn":
      if (outcome.error !== undefined) return { code: outcome.error.error_code, message: outcome.error.message };
      if (outcome.unanswered) return { code: "UNANSWERED", message: nobodyAskedMessage };
      return { code: "TURN_ENDED", message: `the turn ended: ${outcome.stopReason}` };
    case "ended":
      if (outcome.error !== undefined) return { code: outcome.error.error_code, message: outcome.error.message };
      return { code: "SESSION_ENDED", message: `the session is ${outcome.state}` };
    case "refused":
    case "done":
    case "left":
    case "interrupted":
    case "broken_pipe":
      return undefined;
  }
}

const nobodyAskedMessage =
  "a question timed out unanswered, and nobody was told of it: no notify is on the Bus, and this is not a terminal; answer in time with `mix agent permit` or `mix agent answer`, follow at a terminal, or start notifyd";
