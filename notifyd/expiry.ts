// SPDX-License-Identifier: MIT OR Apache-2.0
// Ends asks whose time is over. The wall clock is read once, when the wait begins: from then on the timers count, so that a
// clock that is set back does not keep a question open. A clock that is set forward ends it when somebody answers.
import type { Clock } from "../bus-client/index.ts";

export class Expiry {
  readonly #clock: Clock;
  readonly #timerMsMax: number;
  readonly #expire: (ask: string) => void;
  readonly #timers = new Map<string, () => void>();

  constructor(clock: Clock, timerMsMax: number, expire: (ask: string) => void) {
    this.#clock = clock;
    this.#timerMsMax = timerMsMax;
    this.#expire = expire;
  }

  arm(ask: string, expiresAt: string | null): void {
    if (expiresAt !== null) this.#wait(ask, Date.parse(expiresAt) - this.#clock.now());
  }

  disarm(ask: string): void {
    this.#timers.get(ask)?.();
    this.#timers.delete(ask);
  }

  stop(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  #wait(ask: string, ms: number): void {
    this.disarm(ask);
    const piece = Math.min(Math.max(ms, 0), this.#timerMsMax);
    const cancel = this.#clock.after(piece, () => {
      this.#timers.delete(ask);
      if (ms > piece) this.#wait(ask, ms - piece);
      else this.#expire(ask);
    });
    this.#timers.set(ask, cancel);
  }
}
