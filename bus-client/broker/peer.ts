// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Lane } from "./outbound.ts";

/** One connection as the broker knows it. */
export interface Peer {
  readonly lane: Lane;
  /** What the broker calls it while it has no name. */
  readonly anonymousName: string;
  registration: Registration | undefined;
  readonly topics: Set<string>;
  /** Requests it has sent that are unanswered. */
  unanswered: number;
}

export interface Registration {
  readonly name: string;
  /** 32 hex digits, new with each registration of a name. */
  readonly incarnation: string;
  readonly registeredAt: string;
  readonly provenance: Readonly<Record<string, unknown>>;
}

export function nameOf(peer: Peer): string {
  return peer.registration?.name ?? peer.anonymousName;
}
