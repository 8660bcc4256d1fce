// SPDX-License-Identifier: MIT OR Apache-2.0
// What a person has chosen and the store could not take. The notification is gone by then, so it is tried again until it is
// written, or the ask has ended otherwise.
import type { Clock } from "../bus-client/index.ts";

export interface LateAnswersOptions {
  readonly clock: Pick<Clock, "after">;
  readonly againMs: number;
  /** False: the store has failed. */
  readonly write: (ask: string, option: string) => boolean;
  /** It is not written at once: a person should know. */
  readonly onLate: (ask: string) => void;
}

export class LateAnswers {
  readonly #options: LateAnswersOptions;
  readonly #timers = new Map<string, () => void>();

  constructor(options: LateAnswersOptions) {
    this.#options = options;
  }

  choose(ask: string, option: string): void {
    if (this.#options.write(ask, option)) return;
    this.#again(ask, option);
    this.#options.onLate(ask);
  }

  /** It has ended. */
  drop(ask: string): void {
    this.#timers.get(ask)?.();
    this.#timers.delete(ask);
  }

  stop(): void {
    for (const ask of this.#timers.keys()) this.drop(ask);
  }

  #again(ask: string, option: string): void {
    const { clock, againMs, write } = this.#options;
    const cancel = clock.after(againMs, () => {
      this.#timers.delete(ask);
      if (!write(ask, option)) this.#again(ask, option);
    });
    this.#timers.set(ask, cancel);
  }
}
