// SPDX-License-Identifier: MIT OR Apache-2.0
// The elicitations of an agent that wait for an answer, and which addresses it has asked somebody to open.
import type { IncomingRequest } from "./jsonrpc/incoming-request.ts";
import type { Elicitation, ElicitationAnswer, RequestKey } from "./model.ts";
import { elicitationResult } from "./schema/v1/requests.ts";

/** Ids whose end an agent may still tell. */
const addressesMax = 256;

export class OpenElicitations {
  readonly #open = new Map<RequestKey, IncomingRequest>();
  readonly #addresses = new Set<string>();

  add(request: IncomingRequest, asked: Elicitation): void {
    this.#open.set(request.key, request);
    if (asked.mode !== "url") return;
    const [oldest] = this.#addresses;
    if (oldest !== undefined && this.#addresses.size >= addressesMax) this.#addresses.delete(oldest);
    this.#addresses.add(asked.elicitationId);
  }

  /** False when it was not open: a second answer, or one after the elicitation was taken back, is dropped. */
  answer(key: RequestKey, answer: ElicitationAnswer): boolean {
    const request = this.#open.get(key);
    this.#open.delete(key);
    request?.reply(elicitationResult(answer));
    return request !== undefined;
  }

  /** What was asked to be done there is done. False for an id that was never asked for, or has ended before. */
  complete(elicitationId: string): boolean {
    return this.#addresses.delete(elicitationId);
  }
}
