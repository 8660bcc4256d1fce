// SPDX-License-Identifier: MIT OR Apache-2.0
// Back-pressure for one agent's large responses: a text that its pipe has not taken yet is in our memory, so the next
// is produced only when the earlier ones have left.
import type { ClientSideRequest } from "../../acp-client/client-side.ts";
import { RPC } from "../../acp-client/jsonrpc/message.ts";
import { sessionEnding } from "../session/core/client-side/answers.ts";
import type { EventLoopBudget } from "./event-loop-budget.ts";

export interface ResponseQueueOptions {
  /** JSON bytes of the responses under way. The next one starts while the sum is below this, so it may be exceeded. */
  readonly bytesMax: number;
  readonly budget: EventLoopBudget;
  /** Called after work was done outside a call of the agent, so that the caller can flush its inputs. */
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
  /** Whether the first entry waits for the event-loop budget. */
  #isScheduled = false;

  constructor(options: ResponseQueueOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** Runs `work`, which responds with a text: synchronously if nothing is ahead of it, or later in order. */
  enqueue(request: ClientSideRequest, work: () => void): void {
    this.#waiting.push({ request, work });
    this.#next();
  }

  /** Counts a response of at most `bytes` JSON bytes as under way. Call the returned function once when it has left. */
  reserve(bytes: number): () => void {
    this.#bytes += bytes;
    return () => {
      this.#bytes -= bytes;
      this.#next();
      this.#options.onProgress();
    };
  }

  refuseAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { request } of waiting) request.refuse({ code: RPC.internalError, message: sessionEnding });
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
