// SPDX-License-Identifier: MIT OR Apache-2.0

/** Finds the known word that is at most one typing error away, ignoring case and underscores. */
export function closestWord(word: string, known: readonly string[]): string | undefined {
  const letters = lettersOf(word.slice(0, 64));
  return known.find((candidate) => isOneErrorAway(letters, lettersOf(candidate)));
}

function lettersOf(word: string): string {
  return word.toLowerCase().replaceAll("_", "");
}

/** Whether they are equal or differ by one insertion, deletion, replacement or swap of adjacent letters. */
function isOneErrorAway(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let tail = 0;
  while (tail < Math.min(one.length, other.length) - start && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  const [left = "", right = ""] = [one, other].map((word) => word.slice(start, word.length - tail));
  return Math.max(left.length, right.length) <= 1 || (left.length === 2 && right === `${left[1]}${left[0]}`);
}
