// SPDX-License-Identifier: MIT OR Apache-2.0
// Retries to store answers given at a presenter when the store fails. The notification has closed by then, so the answer
// must not be lost: it is retried until it is written or the ask has ended otherwise.
import type { Clock } from "../bus-client/index.ts";

export interface AnswerRetriesOptions {
  readonly clock: Pick<Clock, "after">;
  readonly retryMs: number;
  /** Returns false if the store failed. */
  readonly write: (ask: string, option: string, via: string) => boolean;
  /** Called once when the first attempt failed, so that the person can be told. */
  readonly onDelayed: (ask: string, via: string) => void;
}

export class AnswerRetries {
  readonly #options: AnswerRetriesOptions;
  readonly #timers = new Map<string, () => void>();

  constructor(options: AnswerRetriesOptions) {
    this.#options = options;
  }

  /** The first answer wins: while one is retried, others to the same ask are ignored. */
  submit(ask: string, option: string, via: string): void {
    if (this.#timers.has(ask) || this.#options.write(ask, option, via)) return;
    this.#retryLater(ask, option, via);
    this.#options.onDelayed(ask, via);
  }

  /** Stops retrying: the ask has ended. */
  cancel(ask: string): void {
    this.#timers.get(ask)?.();
    this.#timers.delete(ask);
  }

  stop(): void {
    for (const ask of this.#timers.keys()) this.cancel(ask);
  }

  #retryLater(ask: string, option: string, via: string): void {
    const { clock, retryMs, write } = this.#options;
    const cancel = clock.after(retryMs, () => {
      this.#timers.delete(ask);
      if (!write(ask, option, via)) this.#retryLater(ask, option, via);
    });
    this.#timers.set(ask, cancel);
  }
}
