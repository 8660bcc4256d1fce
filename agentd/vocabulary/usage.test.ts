// SPDX-License-Identifier: MIT OR Apache-2.0
import { expect, test } from "vitest";
import { addUsage, type Cost, costSince, type SessionUsage, type TurnUsage } from "./usage.ts";

const euros = (amount: number): Cost => ({ amount, currency: "EUR" });
const dollars = (amount: number): Cost => ({ amount, currency: "USD" });
const sumOf = (...turns: TurnUsage[]) => turns.reduce<SessionUsage | null>(addUsage, null);

test.each<[string, TurnUsage[], SessionUsage | null]>([
  ["no turn", [], null],
  [
    "counts of every kind",
    [
      { input_tokens: 3, output_tokens: 2 },
      { output_tokens: 4, thought_tokens: 1 },
    ],
    {
      turns: 2,
      input_tokens: 3,
      output_tokens: 6,
      thought_tokens: 1,
    },
  ],
  ["costs without tokens", [{ cost: euros(0.1) }, { cost: euros(0.2) }], { turns: 2, cost: euros(0.3) }],
  [
    "a cost in another currency",
    [{ cost: euros(1) }, { total_tokens: 5, cost: dollars(9) }],
    {
      turns: 2,
      total_tokens: 5,
      cost: euros(1),
    },
  ],
  ["a log of an earlier version", [{ totalTokens: 7, inputTokens: 5 } as TurnUsage], null],
])("the sum of %s", (_, turns, sum) => {
  expect(sumOf(...turns)).toEqual(sum);
});

test.each<[string, Cost | null, Cost | null, Cost | undefined]>([
  ["nothing was reported", null, null, undefined],
  ["the first report counts whole", null, euros(0.3), euros(0.3)],
  ["a later one by what it grew", euros(0.1), euros(0.3), euros(0.2)],
  ["the same one is nothing", euros(0.1), euros(0.1), undefined],
  ["a count that fell began again", euros(5), euros(0.2), euros(0.2)],
  ["another currency began again", dollars(0.1), euros(0.2), euros(0.2)],
])("cost of a turn: %s", (_, before, now, cost) => {
  expect(costSince(before, now)).toEqual(cost);
});
