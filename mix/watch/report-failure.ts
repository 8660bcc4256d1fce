// SPDX-License-Identifier: MIT OR Apache-2.0
// Reports on stderr why a turn or a session failed. With --json and --quiet nothing else does, and the live view leaves
// the reason to this report.
import { exitCodeOf } from "../process/exit-codes.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { MixError } from "../process/mix-error.ts";
import type { Output } from "../process/output.ts";

export function reportFailure(output: Output, session: string, outcome: Outcome): void {
  if (exitCodeOf(outcome) === 0) return;
  const failure = failureOf(outcome);
  if (failure !== undefined) output.error(new MixError(failure.code, failure.message, { details: { session } }));
}

function failureOf(outcome: Outcome): { readonly code: string; readonly message: string } | undefined {
  switch (outcome.kind) {
    case "turn":
      if (outcome.error !== undefined) return { code: outcome.error.error_code, message: outcome.error.message };
      if (outcome.unanswered) return { code: "UNANSWERED", message: unansweredMessage };
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

const unansweredMessage =
  "a question timed out unanswered, and nobody was told of it: no notify is on the Bus, and this is not a terminal; answer in time with `mix agent permit` or `mix agent answer`, follow at a terminal, or start notifyd";
