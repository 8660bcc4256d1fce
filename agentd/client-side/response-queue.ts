// SPDX-License-Identifier: MIT OR Apache-2.0
// The texts that one agent asks for go to it one after the other. What is not written to its pipe yet is in our memory,
// and an agent that asks for much at once is no agent that does not read.
import type { ClientSideRequest } from "../../acp-client/client-side.ts";
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import { sessionEnds } from "../session/core/client-side/answers.ts";
import type { EventLoopBudget } from "./event-loop-budget.ts";

export interface ResponseQueueOptions {
  /** Of the texts that are on their way, as JSON: one more may begin below it. */
  readonly bytesMax: number;
  readonly budget: EventLoopBudget;
  /** Something was done in nobody's call. */
  readonly onProgress: () => void;
}

interface Waiting {
  readonly request: ClientSideRequest;
  readonly work: () => void;
}

export class ResponseQueue {
  readonly #options: ResponseQueueOptions;
  #waiting: Waiting[] = [];
  #bytes = 0;
  /** The first of the line waits for its time in the event loop. */
  #isScheduled = false;

  constructor(options: ResponseQueueOptions) {
    this.#options = options;
  }

  /** How many requests wait for their turn. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Does the work for a request that is answered with a text: in the call itself, or when it is the request's turn. */
  enqueue(request: ClientSideRequest, work: () => void): void {
    this.#waiting.push({ request, work });
    this.#next();
  }

  /** A text of at most so many bytes, as JSON, is on its way. What is returned is to be called once, when it is not any more. */
  reserve(bytes: number): () => void {
    this.#bytes += bytes;
    return () => {
      this.#bytes -= bytes;
      this.#next();
      this.#options.onProgress();
    };
  }

  /** Who waits is refused. */
  refuseAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { request } of waiting) request.refuse({ code: RPC.internalError, message: sessionEnds });
  }

  #next(): void {
    while (!this.#isScheduled && this.#waiting.length > 0 && this.#bytes < this.#options.bytesMax) {
      this.#isScheduled = true;
      let isLater = false;
      this.#options.budget.run(() => {
        this.#isScheduled = false;
        this.#waiting.shift()?.work();
        if (!isLater) return;
        this.#next();
        this.#options.onProgress();
      });
      isLater = true;
    }
  }
}
