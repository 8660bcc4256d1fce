// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import type { EntryContent } from "../../agentd/vocabulary/entries.ts";
import type { Outcome } from "../process/exit-codes.ts";
import { TurnTracker } from "./turn-outcome.ts";

const options = [
  { option: "yes", name: "Yes", kind: "allow_once" },
  { option: "no", name: "No", kind: "reject_once" },
];
const requested = (more: object = {}): EntryContent => ({
  kind: "permission",
  turn: 1,
  request: "r",
  phase: "requested",
  options,
  expires_at: "2026-01-01T00:00:00.000Z",
  notified: false,
  ...more,
});
const resolved = (more: object): EntryContent => ({
  kind: "permission",
  turn: 1,
  request: "r",
  phase: "resolved",
  outcome: "selected",
  option: "no",
  ...more,
});
const ended = (stopReason: string, more: object = {}): EntryContent => ({
  kind: "turn",
  turn: 1,
  phase: "ended",
  stop_reason: stopReason,
  ...more,
});
const cancelled: EntryContent = { kind: "command", verb: "agent.session.cancel", by: "x", origin: "local", args: {} };

function outcomeOf(contents: readonly EntryContent[], isInteractive = false): Outcome | undefined {
  const watch = new TurnTracker(1, isInteractive);
  for (const [index, content] of contents.entries()) {
    const outcome = watch.observe({ log: "l", session: "s", seq: index + 1, at: "", ...content });
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

test("the end of another turn decides nothing", () => {
  expect(
    outcomeOf([
      { kind: "turn", turn: 2, phase: "ended", stop_reason: "end_turn" },
      { kind: "turn", turn: 1, phase: "started" },
    ]),
  ).toBeUndefined();
});

test("the error of a turn decides the exit code", () => {
  const error = { error_code: "AGENT_EXITED", message: "gone" };
  expect(outcomeOf([ended("failed", { error })])).toMatchObject({ stopReason: "failed", error });
});

test("a person's refusal is remembered, but not an allow or a policy's refusal", () => {
  expect(outcomeOf([requested(), resolved({ by: "mix-a" }), ended("cancelled")])).toMatchObject({
    refusedByPerson: true,
  });
  expect(outcomeOf([requested(), resolved({ by: "mix-a", option: "yes" }), ended("cancelled")])).toMatchObject({
    refusedByPerson: false,
  });
  expect(outcomeOf([requested(), resolved({ via: "policy", by: null }), ended("cancelled")])).toMatchObject({
    refusedByPerson: false,
  });
  expect(
    outcomeOf([requested(), resolved({ by: "mix-a", outcome: "cancelled", option: undefined }), ended("cancelled")]),
  ).toMatchObject({ refusedByPerson: true });
});

test("a cancel after a person's refusal makes the turn a cancelled one", () => {
  expect(outcomeOf([requested(), resolved({ by: "mix-a" }), cancelled, ended("cancelled")])).toMatchObject({
    refusedByPerson: false,
  });
});

test("a timed-out question counts as unanswered only if nobody was told and nobody could be asked here", () => {
  const late = resolved({ via: "timeout" });
  expect(outcomeOf([requested(), late, ended("end_turn")])).toMatchObject({ unanswered: true });
  expect(outcomeOf([requested({ notified: true }), late, ended("end_turn")])).toMatchObject({ unanswered: false });
  expect(outcomeOf([requested(), late, ended("end_turn")], true)).toMatchObject({ unanswered: false });
});

test("a question without a time limit that nobody is told of decides at once", () => {
  expect(outcomeOf([requested({ expires_at: null })])).toEqual({ kind: "refused", code: "UNANSWERED" });
  expect(outcomeOf([requested({ expires_at: null })], true)).toBeUndefined();
  expect(outcomeOf([requested({ expires_at: null, notified: true })])).toBeUndefined();
});

test.each(["closed", "lost", "failed"] as const)("a session that is %s ends the watch", (state) => {
  expect(outcomeOf([{ kind: "state", state }])).toEqual({ kind: "ended", state });
});

test("an elicitation counts like a permission, whether unanswered or refused by a person", () => {
  const asked = (more: object = {}): EntryContent => ({
    kind: "elicitation",
    turn: 1,
    request: "r",
    phase: "requested",
    mode: "form",
    expires_at: "2026-01-01T00:00:00.000Z",
    notified: false,
    ...more,
  });
  const told = (more: object): EntryContent => ({
    kind: "elicitation",
    turn: 1,
    request: "r",
    phase: "resolved",
    ...more,
  });
  const late = told({ outcome: "cancel", via: "timeout" });
  expect(outcomeOf([asked({ expires_at: null })])).toEqual({ kind: "refused", code: "UNANSWERED" });
  expect(outcomeOf([asked(), late, ended("end_turn")])).toMatchObject({ unanswered: true, refusedByPerson: false });
  const declined = told({ outcome: "decline", by: "mix-a" });
  expect(outcomeOf([asked(), declined, ended("cancelled")])).toMatchObject({ refusedByPerson: true });
  const accepted = told({ outcome: "accept", by: "mix-a" });
  expect(outcomeOf([asked(), accepted, ended("cancelled")])).toMatchObject({ refusedByPerson: false });
});
