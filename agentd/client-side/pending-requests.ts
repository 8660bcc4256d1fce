// SPDX-License-Identifier: MIT OR Apache-2.0
// Requests of one agent that wait for the log, each under a key that a session's inputs and effects can carry.
import type { ClientSideRequest } from "../../acp-client/client-side.ts";
import type { RequestKey } from "../session/core/state.ts";

export class PendingRequests {
  readonly #newKey: () => number;
  readonly #requests = new Map<number, ClientSideRequest>();

  constructor(newKey: () => number) {
    this.#newKey = newKey;
  }

  get size(): number {
    return this.#requests.size;
  }

  add(request: ClientSideRequest): number {
    const key = this.#newKey();
    this.#requests.set(key, request);
    return key;
  }

  /** To be answered now; undefined when it was another agent's, or is answered already. */
  take(key: RequestKey): ClientSideRequest | undefined {
    if (key === null) return undefined;
    const request = this.#requests.get(key);
    this.#requests.delete(key);
    return request;
  }
}
