// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Peer } from "./peer.ts";

export interface PendingRequest {
  readonly caller: Peer;
  /** The connection that received the request. Only it may answer. */
  readonly callee: Peer;
  /** The id that the caller chose. */
  readonly callerId: string;
}

/** Requests that were delivered to a service and are not answered yet. They have no timeout while both connections last. */
export class PendingRequests {
  readonly #pending = new Map<string, PendingRequest>();
  #lastNumber = 0;

  /** Adds a request and returns the id that the callee sees. */
  open(request: PendingRequest): string {
    const id = `noded-${++this.#lastNumber}`;
    this.#pending.set(id, request);
    request.caller.unanswered++;
    return id;
  }

  /** Removes and returns the request that `callee` answers with `id`. Undefined if there is none for this callee. */
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

  /** Removes all requests from or to a closed connection, and returns those of other callers that it did not answer. */
  closeAllOf(peer: Peer): PendingRequest[] {
    const unanswered: PendingRequest[] = [];
    for (const [id, request] of this.#pending) {
      if (request.callee !== peer && request.caller !== peer) continue;
      this.#pending.delete(id);
      request.caller.unanswered--;
      if (request.caller !== peer) unanswered.push(request);
    }
    return unanswered;
  }
}
