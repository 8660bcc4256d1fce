// SPDX-License-Identifier: MIT OR Apache-2.0
// Decides whether one more ask may be open. Agents' own programs share a small part of the capacity, so that agentd can
// always ask about them. No group can use the whole capacity of its source.
import { isAgentCitizen } from "../agentd/vocabulary/index.ts";
import type { Limits } from "./limits.ts";

export interface Asker {
  readonly source: string;
  /** Null counts as a group of its own. */
  readonly group: string | null;
}

export interface OpenCount extends Asker {
  readonly open: number;
}

type CapacityLimits = Pick<
  Limits,
  "openMax" | "openPerSourceMax" | "openPerGroupMax" | "openPerGroupCrowdedMax" | "openOfAgentsMax" | "openPerAgentMax"
>;

/** Returns why the ask is refused, or undefined if it may be opened. `open` counts the open asks by source and group. */
export function capacityError(
  { source, group }: Asker,
  open: readonly OpenCount[],
  limits: CapacityLimits,
): string | undefined {
  const isAgents = isAgentCitizen(source);
  const ofSource = open.filter((one) => one.source === source);
  const own = sum(ofSource);
  const ownMax = isAgents ? limits.openPerAgentMax : limits.openPerSourceMax;
  if (own >= ownMax) return `${source} has ${own} open asks, the most it may have`;
  const grouped = sum(ofSource.filter((one) => one.group === group));
  const groupMax = own < ownMax / 2 ? limits.openPerGroupMax : limits.openPerGroupCrowdedMax;
  if (grouped >= groupMax) return `${group ?? source} has ${grouped} open asks; the rest is reserved for other groups`;
  if (isAgents && sum(open.filter((one) => isAgentCitizen(one.source))) >= limits.openOfAgentsMax) {
    return "agents' own programs together have as many open asks as they may have";
  }
  return sum(open) >= limits.openMax ? "too many asks are open" : undefined;
}

function sum(open: readonly OpenCount[]): number {
  return open.reduce((total, one) => total + one.open, 0);
}
