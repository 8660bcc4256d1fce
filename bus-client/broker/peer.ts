// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Lane } from "./outbound.ts";

/** The broker's state of one connection. */
export interface Peer {
  readonly lane: Lane;
  /** Identifies the connection while it has no registered name. */
  readonly anonymousName: string;
  registration: Registration | undefined;
  readonly topics: Set<string>;
  /** The number of requests it has sent that are not answered yet. */
  unanswered: number;
}

export interface Registration {
  readonly name: string;
  /** 32 hexadecimal digits, new for each registration of a name. */
  readonly incarnation: string;
  readonly registeredAt: string;
  readonly provenance: Readonly<Record<string, unknown>>;
}

export function nameOf(peer: Peer): string {
  return peer.registration?.name ?? peer.anonymousName;
}
