// SPDX-License-Identifier: MIT OR Apache-2.0
// Whether one more ask may be open. What agents ask by their own programs has a small share of all there is, so that however
// many they are, the room for what agentd asks about them is left. Of the room of one who asks, no group can take all.
import { isAgentCitizen } from "../agentd/vocabulary/index.ts";
import type { Limits } from "./limits.ts";

export interface Asker {
  readonly source: string;
  /** Null is a group too. */
  readonly group: string | null;
}

export interface OpenOf extends Asker {
  readonly open: number;
}

type RoomLimits = Pick<
  Limits,
  "openMax" | "openPerSourceMax" | "openPerGroupMax" | "openPerGroupLateMax" | "openOfAgentsMax" | "openPerAgentMax"
>;

/** `open`: each group of each source that has any. Undefined: there is room. */
export function whyNoRoom({ source, group }: Asker, open: readonly OpenOf[], limits: RoomLimits): string | undefined {
  const isAgents = isAgentCitizen(source);
  const ofSource = open.filter((one) => one.source === source);
  const own = sum(ofSource);
  const ownMax = isAgents ? limits.openPerAgentMax : limits.openPerSourceMax;
  if (own >= ownMax) return `${source} has ${own} open asks, and may have no more`;
  const grouped = sum(ofSource.filter((one) => one.group === group));
  const groupMax = own < ownMax / 2 ? limits.openPerGroupMax : limits.openPerGroupLateMax;
  if (grouped >= groupMax) return `${group ?? source} has ${grouped} open asks: the rest of the room is others'`;
  if (isAgents && sum(open.filter((one) => isAgentCitizen(one.source))) >= limits.openOfAgentsMax) {
    return "agents' own programs have as many open asks together as they may have";
  }
  return sum(open) >= limits.openMax ? "too many asks are open" : undefined;
}

function sum(open: readonly OpenOf[]): number {
  return open.reduce((total, one) => total + one.open, 0);
}
