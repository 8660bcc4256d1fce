// SPDX-License-Identifier: MIT OR Apache-2.0
// Chooses the asks to show when not all fit on the screen. The places are shared equally among sources, then among the
// groups of each source, so nobody can hide the questions of another by asking many.
import { isAgentCitizen, type NotifyAsk } from "../../agentd/vocabulary/index.ts";

export interface Candidate {
  readonly ask: Pick<NotifyAsk, "source" | "group">;
  readonly isShown: boolean;
}

/**
 * Chooses at most `max` of the candidates, which are given oldest first. Within a group those already shown come first,
 * then the oldest. Among equal shares a candidate that is already shown wins, so the screen does not flicker.
 */
export function fairShare<C extends Candidate>(candidates: readonly C[], max: number): ReadonlySet<C> {
  const root = newShare<C>();
  const shownFirst = [...candidates.filter(({ isShown }) => isShown), ...candidates.filter(({ isShown }) => !isShown)];
  for (const candidate of shownFirst) {
    let share = root;
    for (const name of sharePath(candidate)) share = childOf(share, name);
    share.candidates.push(candidate);
  }
  const chosen = new Set<C>();
  while (chosen.size < max) {
    const next = findNext(root);
    if (next === undefined) break;
    for (const share of next.shares) share.taken += 1;
    next.shares.at(-1)?.candidates.shift();
    chosen.add(next.candidate);
  }
  return chosen;
}

/** All agents' own programs together have one share, whatever their number. */
function sharePath({ ask: { source, group } }: Candidate): readonly string[] {
  return [isAgentCitizen(source) ? "mcp-" : source, source, group ?? ""];
}

interface Share<C> {
  taken: number;
  readonly parts: Map<string, Share<C>>;
  /** Candidates of this very share that are not chosen yet. */
  readonly candidates: C[];
}

function newShare<C>(): Share<C> {
  return { taken: 0, parts: new Map(), candidates: [] };
}

function childOf<C>({ parts }: Share<C>, name: string): Share<C> {
  const part = parts.get(name) ?? newShare<C>();
  parts.set(name, part);
  return part;
}

interface Next<C> {
  readonly candidate: C;
  /** The path from the root to the share that holds the candidate. */
  readonly shares: readonly Share<C>[];
}

/** Finds the next candidate in the part with the fewest taken; among equals in one whose next is shown, else the first. */
function findNext<C extends Candidate>(share: Share<C>): Next<C> | undefined {
  const [own] = share.candidates;
  if (own !== undefined) return { candidate: own, shares: [share] };
  let best: { readonly taken: number; readonly next: Next<C> } | undefined;
  for (const part of share.parts.values()) {
    const next = findNext(part);
    if (next === undefined) continue;
    const isSooner = best === undefined || part.taken < best.taken;
    const isStaying = part.taken === best?.taken && next.candidate.isShown && !best.next.candidate.isShown;
    if (isSooner || isStaying) best = { taken: part.taken, next };
  }
  return best && { candidate: best.next.candidate, shares: [share, ...best.next.shares] };
}
