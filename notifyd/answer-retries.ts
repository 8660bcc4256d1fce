// SPDX-License-Identifier: MIT OR Apache-2.0
// Retries to store answers given on the desktop when the store fails. The notification has closed by then, so the answer
// must not be lost: it is retried until it is written or the ask has ended otherwise.
import type { Clock } from "../bus-client/index.ts";

export interface AnswerRetriesOptions {
  readonly clock: Pick<Clock, "after">;
  readonly retryMs: number;
  /** Returns false if the store failed. */
  readonly write: (ask: string, option: string) => boolean;
  /** Called once when the first attempt failed, so that the person can be told. */
  readonly onDelayed: (ask: string) => void;
}

export class AnswerRetries {
  readonly #options: AnswerRetriesOptions;
  readonly #timers = new Map<string, () => void>();

  constructor(options: AnswerRetriesOptions) {
    this.#options = options;
  }

  submit(ask: string, option: string): void {
    if (this.#options.write(ask, option)) return;
    this.#retryLater(ask, option);
    this.#options.onDelayed(ask);
  }

  /** Stops retrying: the ask has ended. */
  cancel(ask: string): void {
    this.#timers.get(ask)?.();
    this.#timers.delete(ask);
  }

  stop(): void {
    for (const ask of this.#timers.keys()) this.cancel(ask);
  }

  #retryLater(ask: string, option: string): void {
    const { clock, retryMs, write } = this.#options;
    const cancel = clock.after(retryMs, () => {
      this.#timers.delete(ask);
      if (!write(ask, option)) this.#retryLater(ask, option);
    });
    this.#timers.set(ask, cancel);
  }
}
