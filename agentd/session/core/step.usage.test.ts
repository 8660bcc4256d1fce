// SPDX-License-Identifier: MIT OR Apache-2.0
// What a turn used: the tokens of the agent's answer, and by how much the session's cost grew.
import { expect, test } from "vitest";
import { parseJson } from "../../../json/raw-json.ts";
import type { EntryContent } from "../../vocabulary/index.ts";
import { SessionScript } from "./testing/session-script.ts";

function ready(): SessionScript {
  const script = new SessionScript();
  script.up();
  return script;
}

function costs(script: SessionScript, amount: unknown, currency = "USD"): void {
  const cost = { amount: amount as number, currency };
  script.says({ type: "update", update: { kind: "usage", used: 1, size: 2, cost } });
}

const usageOf = (entries: readonly EntryContent[]) =>
  entries.flatMap((entry) => (entry.kind === "turn" && entry.phase === "ended" ? [entry.usage] : []));

test("the counts of the agent's answer are logged under the contract's names", () => {
  const script = ready();
  script.prompt("one");
  const usage = {
    inputTokens: 1,
    outputTokens: 2,
    thoughtTokens: 3,
    cachedReadTokens: 4,
    cachedWriteTokens: 5,
    totalTokens: 15,
  };
  const value = { stopReason: "end_turn", usage };
  const ended = script.put({ type: "prompt_done", turn: 1, outcome: { ok: true, value } });
  expect(usageOf(ended)).toEqual([
    {
      input_tokens: 1,
      output_tokens: 2,
      thought_tokens: 3,
      cached_read_tokens: 4,
      cached_write_tokens: 5,
      total_tokens: 15,
    },
  ]);
});

test("each turn has what the cost grew since the turn before, also what came between the two", () => {
  const script = ready();
  script.prompt("one");
  costs(script, 0.1);
  costs(script, 0.2);
  script.answered(1);
  costs(script, 0.5);
  script.prompt("two");
  costs(script, 0.6);
  script.answered(2);
  script.prompt("three");
  script.answered(3);
  const cost = (amount: number) => ({ cost: { amount, currency: "USD" } });
  expect(usageOf(script.entries)).toEqual([cost(0.2), cost(0.4), undefined]);
});

test("a turn that failed or was cancelled by force has its cost too", () => {
  const script = ready();
  script.prompt("one");
  costs(script, 2);
  expect(usageOf(script.exits(1))).toEqual([{ cost: { amount: 2, currency: "USD" } }]);
});

test.each([
  ["is cleared", null],
  ["has a currency that is not ISO 4217's", { amount: 1, currency: "credits" }],
  ["is negative", { amount: -1, currency: "USD" }],
  ["is larger than sums can be", { amount: 1e300, currency: "USD" }],
  ["is larger than any number", { amount: parseJson("1e400") as number, currency: "USD" }],
])("a cost that %s is logged and not counted", (_, cost) => {
  const script = ready();
  script.prompt("one");
  costs(script, 3);
  script.says({ type: "update", update: { kind: "usage", used: 1, size: 2, cost } });
  expect(script.entries.at(-1)).toMatchObject({ kind: "usage", cost });
  expect(usageOf(script.answered(1))).toEqual([{ cost: { amount: 3, currency: "USD" } }]);
});
