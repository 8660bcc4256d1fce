// SPDX-License-Identifier: MIT OR Apache-2.0

/** Two variants of one job, each giving its measurement. */
export interface Pair<Ours, Other = Ours> {
  readonly ours: () => Promise<Ours>;
  readonly other: () => Promise<Other>;
}

export interface Round<Ours, Other = Ours> {
  readonly ours: Ours;
  readonly other: Other;
}

/**
 * Runs both variants once a round, each going first in every other one: what slows the machine down for a while then
 * slows both. One round before the first is thrown away, in which caches fill and code is compiled.
 */
export async function runInTurn<Ours, Other = Ours>(
  { ours, other }: Pair<Ours, Other>,
  rounds: number,
  onRound: (done: number) => void = () => {},
): Promise<Round<Ours, Other>[]> {
  const measured: Round<Ours, Other>[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    onRound(round);
    if (round % 2 === 0) {
      const mine = await ours();
      measured.push({ ours: mine, other: await other() });
    } else {
      const theirs = await other();
      measured.push({ other: theirs, ours: await ours() });
    }
  }
  return measured.slice(1);
}

/** Of an even number, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error("the median of nothing");
  return (lower + upper) / 2;
}
