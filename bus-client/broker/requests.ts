// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Peer } from "./peer.ts";

export interface PendingRequest {
  readonly caller: Peer;
  /** The connection it went to, which alone may answer. */
  readonly callee: Peer;
  /** The caller's own id. */
  readonly callerId: string;
}

/** Requests that went to a service and are unanswered. The broker never gives up on one while both connections live. */
export class Requests {
  readonly #pending = new Map<string, PendingRequest>();
  #lastNumber = 0;

  /** The id under which the callee sees the request. */
  open(request: PendingRequest): string {
    const id = `noded-${++this.#lastNumber}`;
    this.#pending.set(id, request);
    request.caller.unanswered++;
    return id;
  }

  /** The request that `callee` answers with `id`, once; undefined where there is none, or it went to somebody else. */
  close(id: string | undefined, callee: Peer): PendingRequest | undefined {
    const request = id === undefined ? undefined : this.#pending.get(id);
    if (request === undefined || request.callee !== callee) return undefined;
    this.#pending.delete(id!);
    request.caller.unanswered--;
    return request;
  }

  isAwaitedFrom(id: string | undefined, callee: Peer): boolean {
    return id !== undefined && this.#pending.get(id)?.callee === callee;
  }

  /** A connection went: what it had asked is forgotten, and what it owed to others comes back. */
  closeAllOf(peer: Peer): PendingRequest[] {
    const owed: PendingRequest[] = [];
    for (const [id, request] of this.#pending) {
      if (request.callee !== peer && request.caller !== peer) continue;
      this.#pending.delete(id);
      request.caller.unanswered--;
      if (request.caller !== peer) owed.push(request);
    }
    return owed;
  }
}
