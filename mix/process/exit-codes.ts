// SPDX-License-Identifier: MIT OR Apache-2.0
// How a verb ended, and the exit code for it, as the README lists them.

export interface OutcomeError {
  readonly error_code: string;
  readonly message: string;
}

export type Outcome =
  | { readonly kind: "done" }
  /** A refusal, an unreachable daemon or a usage error. The error's code decides the exit code. */
  | { readonly kind: "refused"; readonly code: string }
  | {
      readonly kind: "turn";
      readonly stopReason: string;
      /** The error of the turn, or else of the session's last state. */
      readonly error?: OutcomeError;
      /**
       * A person refused a tool and nobody cancelled the turn: an agent that then stops as `cancelled` did as it was
       * told.
       */
      readonly refusedByPerson: boolean;
      /** A question of this turn timed out because nobody could be asked. */
      readonly unanswered: boolean;
    }
  | {
      readonly kind: "ended";
      readonly state: "closed" | "lost" | "failed";
      readonly error?: OutcomeError;
      /** The view on the terminal has shown the error, with the end of the turn. */
      readonly isErrorShown?: true;
    }
  /** A person detached by command; the session continues. */
  | { readonly kind: "left" }
  | { readonly kind: "interrupted" }
  | { readonly kind: "broken_pipe" };

export function exitCodeOf(outcome: Outcome): number {
  switch (outcome.kind) {
    case "done":
    case "left":
      return 0;
    case "refused":
      return exitCodeOfError(outcome.code);
    case "turn":
      if (outcome.error !== undefined) return exitCodeOfError(outcome.error.error_code);
      if (outcome.unanswered) return 5;
      if (outcome.stopReason === "end_turn" || outcome.stopReason === "steered") return 0;
      return outcome.stopReason === "cancelled" && outcome.refusedByPerson ? 0 : 1;
    case "ended":
      if (outcome.error !== undefined) return exitCodeOfError(outcome.error.error_code);
      return outcome.state === "closed" ? 0 : 1;
    case "interrupted":
      return 130;
    case "broken_pipe":
      return 141;
  }
}

export const done: Outcome = { kind: "done" };

function exitCodeOfError(code: string): number {
  const named = namedCodes.get(code);
  if (named !== undefined) return named;
  return code.endsWith("_UNKNOWN") ? 4 : 1;
}

// A Map, since any service writes codes and an object literal inherits names such as `constructor`.
const namedCodes: ReadonlyMap<string, number> = new Map([
  ["USAGE", 2],
  ["ARGUMENT", 2],
  ["ROOT_REFUSED", 2],
  ["OPTION_UNKNOWN", 2],
  ["TIME_LIMIT", 3],
  ["AGENT_UNAVAILABLE", 4],
  ["UNANSWERED", 5],
  ["UNREACHABLE", 6],
  ["AGENT_AUTH", 7],
  ["COMMAND_CONFLICT", 8],
]);
