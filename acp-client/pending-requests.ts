// SPDX-License-Identifier: MIT OR Apache-2.0
// Permission and elicitation requests that wait for a person. Each is answered once.
import type { IncomingRequest } from "./jsonrpc/incoming-request.ts";
import type { RequestAnswer, RequestKey } from "./model.ts";

/** Encodes the answer for one request. May throw, which leaves the request open. */
export type EncodeAnswer = (answer: RequestAnswer) => object;

export class PendingRequests {
  readonly #open = new Map<RequestKey, { readonly request: IncomingRequest; readonly encode: EncodeAnswer }>();

  add(request: IncomingRequest, encode: EncodeAnswer): void {
    this.#open.set(request.key, { request, encode });
  }

  /** Drops a second answer, or one after the request was cancelled. */
  answer(key: RequestKey, answer: RequestAnswer): void {
    const asked = this.#open.get(key);
    if (asked === undefined) return;
    const result = asked.encode(answer);
    this.#open.delete(key);
    asked.request.reply(result);
  }

  /** Forgets a request that the agent cancelled. Returns false if it was not open. */
  withdraw(key: RequestKey): boolean {
    return this.#open.delete(key);
  }
}

/** URL elicitations that are remembered until elicitation/complete; the oldest are forgotten first. */
const urlElicitationsMax = 256;

/** The URL elicitations whose completion the agent may still report. */
export class UrlElicitations {
  readonly #ids = new Set<string>();

  add(elicitationId: string): void {
    const [oldest] = this.#ids;
    if (oldest !== undefined && this.#ids.size >= urlElicitationsMax) this.#ids.delete(oldest);
    this.#ids.add(elicitationId);
  }

  /** Returns false for an id that is unknown or already completed. */
  complete(elicitationId: string): boolean {
    return this.#ids.delete(elicitationId);
  }
}
