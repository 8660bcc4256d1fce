// SPDX-License-Identifier: MIT OR Apache-2.0
// The usage of turns: the tokens that the agent counts in its answer to a prompt, and the cost that it reports.

/** `currency` is an ISO 4217 code. */
export interface Cost {
  readonly amount: number;
  readonly currency: string;
}

/** The counts of ACP's `PromptResponse.usage` under the names of this contract. Agents leave some out. */
export type TokenCounts = { readonly [Name in (typeof counts)[number]]?: number };

export interface TurnUsage extends TokenCounts {
  /** The growth of the session's cost from the end of the turn before to the end of this one. */
  readonly cost?: Cost;
}

export interface SessionUsage extends TurnUsage {
  /** Number of turns in the sums: those that ended with a usage. */
  readonly turns: number;
}

const counts = [
  "input_tokens",
  "output_tokens",
  "thought_tokens",
  "cached_read_tokens",
  "cached_write_tokens",
  "total_tokens",
] as const;

/**
 * Adds a turn's usage to the session's. The sum of costs has the currency that the agent named first; a cost in another
 * one is in its turn only.
 */
export function addUsage(sum: SessionUsage | null, usage: TurnUsage): SessionUsage | null {
  const known = counts.filter((name) => usage[name] !== undefined);
  const cost = addCost(sum?.cost, usage.cost);
  if (known.length === 0 && usage.cost === undefined) return sum;
  return {
    ...sum,
    turns: (sum?.turns ?? 0) + 1,
    ...Object.fromEntries(known.map((name) => [name, (sum?.[name] ?? 0) + (usage[name] ?? 0)])),
    ...(cost === undefined ? {} : { cost }),
  };
}

function addCost(sum: Cost | undefined, cost: Cost | undefined): Cost | undefined {
  if (sum === undefined || cost === undefined) return sum ?? cost;
  return cost.currency === sum.currency ? { ...sum, amount: roundAmount(sum.amount + cost.amount) } : sum;
}

/** Returns the cost since an earlier report. A count that fell or changed its currency began at zero again. */
export function costSince(before: Cost | null, now: Cost | null): Cost | undefined {
  if (now === null) return undefined;
  const continues = before !== null && before.currency === now.currency && before.amount <= now.amount;
  const amount = roundAmount(now.amount - (continues ? before.amount : 0));
  return amount > 0 ? { amount, currency: now.currency } : undefined;
}

/** Rounds to a billionth, so that 0.1 and 0.2 are 0.3. */
function roundAmount(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}
