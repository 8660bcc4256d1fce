// SPDX-License-Identifier: MIT OR Apache-2.0
// Expires asks at their `expires_at`.
import { afterByWallClock, type Clock } from "../bus-client/index.ts";

export class Expiry {
  readonly #clock: Clock;
  readonly #checkMs: number;
  readonly #expire: (ask: string) => boolean;
  readonly #timers = new Map<string, () => void>();

  /** `expire` returns false if the store failed, and is retried. Meanwhile `Asks.answer` refuses by `expires_at`. */
  constructor(clock: Clock, checkMs: number, expire: (ask: string) => boolean) {
    this.#clock = clock;
    this.#checkMs = checkMs;
    this.#expire = expire;
  }

  arm(ask: string, expiresAt: string | null): void {
    this.disarm(ask);
    if (expiresAt === null) return;
    this.#wait(ask, Date.parse(expiresAt) - this.#clock.now());
  }

  disarm(ask: string): void {
    this.#timers.get(ask)?.();
    this.#timers.delete(ask);
  }

  #wait(ask: string, ms: number): void {
    const cancel = afterByWallClock(this.#clock, ms, this.#checkMs, () => {
      this.#timers.delete(ask);
      if (!this.#expire(ask)) this.#wait(ask, this.#checkMs);
    });
    this.#timers.set(ask, cancel);
  }

  stop(): void {
    for (const ask of this.#timers.keys()) this.disarm(ask);
  }
}
