// SPDX-License-Identifier: MIT OR Apache-2.0
// Which asks have the screen where not all of them can: as many of each who asks, and of each group of theirs, as there is
// room for. Nobody's questions keep another's from being seen, however many they are.
import { isAgentCitizen, type NotifyAsk } from "../../agentd/vocabulary/index.ts";

export interface Candidate {
  readonly ask: Pick<NotifyAsk, "source" | "group">;
  readonly isShown: boolean;
}

/**
 * `max` of them, which come in the order in which they were asked. Of one group the shown ones come first, then the oldest;
 * where it does not matter who is next, whoever is on the screen stays there.
 */
export function fairShare<C extends Candidate>(candidates: readonly C[], max: number): ReadonlySet<C> {
  const root = newShare<C>();
  const shownFirst = [...candidates.filter(({ isShown }) => isShown), ...candidates.filter(({ isShown }) => !isShown)];
  for (const candidate of shownFirst) {
    let share = root;
    for (const name of namesOf(candidate)) share = partOf(share, name);
    share.candidates.push(candidate);
  }
  const chosen = new Set<C>();
  while (chosen.size < max) {
    const next = nextOf(root);
    if (next === undefined) break;
    for (const share of next.shares) share.taken += 1;
    next.shares.at(-1)?.candidates.shift();
    chosen.add(next.candidate);
  }
  return chosen;
}

/** Agents' own programs have one share together, whatever their number. */
function namesOf({ ask: { source, group } }: Candidate): readonly string[] {
  return [isAgentCitizen(source) ? "mcp-" : source, source, group ?? ""];
}

interface Share<C> {
  taken: number;
  readonly parts: Map<string, Share<C>>;
  /** Those that are not in a part, and not taken. */
  readonly candidates: C[];
}

function newShare<C>(): Share<C> {
  return { taken: 0, parts: new Map(), candidates: [] };
}

function partOf<C>({ parts }: Share<C>, name: string): Share<C> {
  const part = parts.get(name) ?? newShare<C>();
  parts.set(name, part);
  return part;
}

interface Next<C> {
  readonly candidate: C;
  /** It is taken from these, the last of which has it. */
  readonly shares: readonly Share<C>[];
}

/** Of the part that has had the fewest; of several, of one whose next is shown, else of the first. */
function nextOf<C extends Candidate>(share: Share<C>): Next<C> | undefined {
  const [own] = share.candidates;
  if (own !== undefined) return { candidate: own, shares: [share] };
  let best: { readonly taken: number; readonly next: Next<C> } | undefined;
  for (const part of share.parts.values()) {
    const next = nextOf(part);
    if (next === undefined) continue;
    const isSooner = best === undefined || part.taken < best.taken;
    const isStaying = part.taken === best?.taken && next.candidate.isShown && !best.next.candidate.isShown;
    if (isSooner || isStaying) best = { taken: part.taken, next };
  }
  return best && { candidate: best.next.candidate, shares: [share, ...best.next.shares] };
}
