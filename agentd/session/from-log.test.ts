// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { appendTo, startingState } from "../log/testing/maintained-log.ts";
import { alpha, temporaryLog } from "../log/testing/temporary-log.ts";
import type { EntryContent } from "../vocabulary/index.ts";
import { stateFromLog } from "./from-log.ts";

const usd = (amount: number) => ({ amount, currency: "USD" });
const costs = (amount?: number): EntryContent => ({
  kind: "usage",
  used: 1,
  size: null,
  ...(amount === undefined ? {} : { cost: usd(amount) }),
});
const ended: EntryContent = { kind: "turn", turn: 1, phase: "ended", usage: { cost: usd(2) } };
const fresh: EntryContent = { kind: "state", state: "idle", agent_session_id: "agent-2", resumed: "fresh" };

test.each<[string, readonly EntryContent[], number | null]>([
  ["the cost of the last update", [costs(1), costs(2), ended], 2],
  ["the last cost, though later updates have none", [costs(1), costs(2), costs(), costs(), ended, costs()], 2],
  ["no cost where none was reported", [costs(), { ...ended, usage: { total_tokens: 1 } }], null],
  ["no cost of the session before a fresh one", [costs(2), ended, fresh], null],
  ["no earlier cost in a fresh session without one", [costs(2), ended, fresh, costs()], null],
  ["the cost of a fresh session", [costs(2), ended, fresh, costs(1), costs()], 1],
])("a session that is read from the log goes on from %s", (_, entries, amount) => {
  const log = temporaryLog();
  appendTo(log, alpha, startingState, ...entries);
  const cost = amount === null ? null : usd(amount);
  expect(stateFromLog(log, alpha)?.cost).toEqual({ reported: cost, counted: cost });
});

test.each([
  ["load", true],
  ["fresh", false],
  [undefined, false],
] as const)("whether and when the agent loaded its session is read from the log: %s", (resumed, wasLoaded) => {
  const log = temporaryLog();
  const up: EntryContent = {
    kind: "state",
    state: "idle",
    agent_session_id: "agent-2",
    ...(resumed ? { resumed } : {}),
  };
  appendTo(log, alpha, startingState, up);
  const at = log.sessions.latest(alpha)?.up?.at;
  expect(stateFromLog(log, alpha)?.agentSide).toMatchObject({ wasLoaded, openedAt: Date.parse(at ?? "") });
});
