// SPDX-License-Identifier: MIT OR Apache-2.0
// Requests of one agent that wait for a commit, each under a key that the session's inputs and effects can carry.
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

  /** Removes the request to respond to it. Undefined for a key of another agent, or one already answered. */
  take(key: RequestKey): ClientSideRequest | undefined {
    if (key === null) return undefined;
    const request = this.#requests.get(key);
    this.#requests.delete(key);
    return request;
  }
}
