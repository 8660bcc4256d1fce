// SPDX-License-Identifier: MIT OR Apache-2.0
// One line of the table: a ratio or a difference, what it has to reach, and the absolute numbers it comes from.
import { median, type Round } from "./rounds.ts";

export interface Finding {
  readonly what: string;
  /** The median of the rounds' ratios, ours to the other's; or, with a `unit`, of their differences. */
  readonly ratio: number;
  readonly unit?: string;
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
export function findingOf(question: Question, rounds: readonly Round<number>[]): Finding {
  return findingBy((ours, other) => ours / other, question, rounds);
}

/** What ours takes longer than the other, in ms. For delays that people feel as such, whatever they are added to. */
export function millisecondsAddedOf(question: Question, rounds: readonly Round<number>[]): Finding {
  return { ...findingBy((ours, other) => ours - other, question, rounds), unit: "ms" };
}

function findingBy(
  compare: (ours: number, other: number) => number,
  { what, goal, write }: Question,
  rounds: readonly Round<number>[],
): Finding {
  const compared = rounds.map(({ ours, other }) => compare(ours, other));
  return {
    what,
    goal,
    ratio: median(compared),
    range: [Math.min(...compared), Math.max(...compared)],
    ours: write(median(rounds.map(({ ours }) => ours))),
    other: write(median(rounds.map(({ other }) => other))),
  };
}

export function passes({ ratio, goal }: Finding): boolean {
  return "atLeast" in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}
