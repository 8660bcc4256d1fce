// SPDX-License-Identifier: MIT OR Apache-2.0
// One line of the table: a ratio, what it has to reach, and the absolute numbers it comes from.
import { median, type Round } from "./rounds.ts";

export interface Finding {
  readonly what: string;
  /** The median of the rounds' ratios, ours to the other's. */
  readonly ratio: number;
  /** The lowest and the highest round. */
  readonly range: readonly [number, number];
  readonly goal: Goal;
  /** Medians, with their unit. */
  readonly ours: string;
  readonly other: string;
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number };

export interface Question {
  readonly what: string;
  readonly goal: Goal;
  /** Writes one absolute number, with its unit. */
  readonly write: (value: number) => string;
}

/** A round's ratio is taken within the round: only there were both under the same load. */
export function findingOf({ what, goal, write }: Question, rounds: readonly Round<number>[]): Finding {
  const ratios = rounds.map(({ ours, other }) => ours / other);
  return {
    what,
    goal,
    ratio: median(ratios),
    range: [Math.min(...ratios), Math.max(...ratios)],
    ours: write(median(rounds.map(({ ours }) => ours))),
    other: write(median(rounds.map(({ other }) => other))),
  };
}

export function passes({ ratio, goal }: Finding): boolean {
  return "atLeast" in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}
