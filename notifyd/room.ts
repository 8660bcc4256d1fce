// SPDX-License-Identifier: MIT OR Apache-2.0
// Whether one more ask of a source may be open. What agents ask by their own programs has a small share of all there is,
// so that however many they are, the room for what agentd asks about them is left.
import { isAgentsOwn } from "../agentd/vocabulary/index.ts";
import type { Limits } from "./limits.ts";

export interface OpenOf {
  readonly source: string;
  readonly open: number;
}

type RoomLimits = Pick<Limits, "openMax" | "openPerSourceMax" | "openOfAgentsMax" | "openPerAgentMax">;

/** `open`: each source that has any. Undefined: there is room. */
export function whyNoRoom(source: string, open: readonly OpenOf[], limits: RoomLimits): string | undefined {
  const isAgents = isAgentsOwn(source);
  const own = sum(open.filter((one) => one.source === source));
  const ownMax = isAgents ? limits.openPerAgentMax : limits.openPerSourceMax;
  if (own >= ownMax) return `${source} has ${own} open asks, and may have no more`;
  if (isAgents && sum(open.filter((one) => isAgentsOwn(one.source))) >= limits.openOfAgentsMax) {
    return "agents' own programs have as many open asks together as they may have";
  }
  return sum(open) >= limits.openMax ? "too many asks are open" : undefined;
}

function sum(open: readonly OpenOf[]): number {
  return open.reduce((total, one) => total + one.open, 0);
}
