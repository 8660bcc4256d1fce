// SPDX-License-Identifier: MIT OR Apache-2.0
/** The known word that a mistyped one most likely meant, or undefined where none is near: at most a third of its letters differ. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const letters = word.slice(0, 64).toLowerCase();
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(letters, candidate.toLowerCase());
    const allowed = Math.max(1, Math.floor(Math.max(letters.length, candidate.length) / 3));
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { word: candidate, distance };
  }
  return best?.word;
}

/** Letters inserted, removed, replaced, or two neighbours swapped (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      let distance = Math.min(replaced, (last[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        distance = Math.min(distance, (beforeLast[j - 2] ?? 0) + 1);
      }
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
