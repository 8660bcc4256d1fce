// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { exitCodeOf } from "./exit-codes.ts";
import type { Outcome } from "./exit-codes.ts";

const turn = (stopReason: string, rest: Partial<Extract<Outcome, { kind: "turn" }>> = {}): Outcome => ({
  kind: "turn",
  stopReason,
  refusedByPerson: false,
  unanswered: false,
  ...rest,
});
const refused = (code: string): Outcome => ({ kind: "refused", code });

test.each<readonly [string, Outcome, number]>([
  ["a verb that is done", { kind: "done" }, 0],
  ["a turn that ended by itself", turn("end_turn"), 0],
  ["a turn in which a person refused a tool", turn("end_turn", { refusedByPerson: true }), 0],
  ["a turn that says cancelled because a person refused a tool", turn("cancelled", { refusedByPerson: true }), 0],
  ["a turn that was cancelled", turn("cancelled"), 1],
  ["a turn that the agent refused", turn("refusal"), 1],
  ["a turn that was cut off", turn("max_tokens"), 1],
  ["a turn that was interrupted", turn("interrupted"), 1],
  ["a turn that ended for a reason unknown today", turn("sunspots"), 1],
  ["a turn that failed without a code", turn("failed"), 1],
  [
    "a turn that failed because a login is needed",
    turn("failed", { error: { error_code: "AGENT_AUTH", message: "" } }),
    7,
  ],
  ["a turn whose question nobody could be asked", turn("end_turn", { unanswered: true }), 5],
  ["a session that closed", { kind: "ended", state: "closed" }, 0],
  ["a session that was lost", { kind: "ended", state: "lost" }, 1],
  ["a session that failed", { kind: "ended", state: "failed" }, 1],
  [
    "a session that failed because the agent is not available",
    { kind: "ended", state: "failed", error: { error_code: "AGENT_UNAVAILABLE", message: "" } },
    4,
  ],
  [
    "a session that failed because a login is needed",
    { kind: "ended", state: "failed", error: { error_code: "AGENT_AUTH", message: "" } },
    7,
  ],
  ["wrong words", refused("USAGE"), 2],
  ["a wrong argument", refused("ARGUMENT"), 2],
  ["a directory outside the roots", refused("ROOT_REFUSED"), 2],
  ["an option that is not there", refused("OPTION_UNKNOWN"), 2],
  ["a time limit", refused("TIME_LIMIT"), 3],
  ["an unknown session", refused("SESSION_UNKNOWN"), 4],
  ["an unknown agent", refused("AGENT_UNKNOWN"), 4],
  ["an unknown request", refused("REQUEST_UNKNOWN"), 4],
  ["an agent that is not installed", refused("AGENT_UNAVAILABLE"), 4],
  ["a question that nobody could be asked", refused("UNANSWERED"), 5],
  ["no daemon", refused("UNREACHABLE"), 6],
  ["a login that is needed", refused("AGENT_AUTH"), 7],
  ["a command id that was used for something else", refused("COMMAND_CONFLICT"), 8],
  ["a busy session", refused("AGENT_BUSY"), 1],
  ["a log that cannot be written", refused("STORE_FAILED"), 1],
  ["an unknown verb of a service", refused("UNKNOWN_COMMAND"), 1],
  ["a code unknown today", refused("SOMETHING_NEW"), 1],
  ["a code that every object has a member of", refused("constructor"), 1],
  ["Ctrl-C", { kind: "interrupted" }, 130],
  ["a reader that left", { kind: "broken_pipe" }, 141],
])("%s exits as the table says", (_what, outcome, code) => {
  expect(exitCodeOf(outcome)).toBe(code);
});
