// SPDX-License-Identifier: MIT OR Apache-2.0
// Ends asks whose time is over.
import { afterByWallClock, type Clock } from "../bus-client/index.ts";

export class Expiry {
  readonly #clock: Clock;
  readonly #lookMs: number;
  readonly #expire: (ask: string) => boolean;
  readonly #timers = new Map<string, () => void>();

  /** `expire` answers false where the store has failed: it is tried again. Who answers meanwhile is refused by the ask's time. */
  constructor(clock: Clock, lookMs: number, expire: (ask: string) => boolean) {
    this.#clock = clock;
    this.#lookMs = lookMs;
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
    const cancel = afterByWallClock(this.#clock, ms, this.#lookMs, () => {
      this.#timers.delete(ask);
      if (!this.#expire(ask)) this.#wait(ask, this.#lookMs);
    });
    this.#timers.set(ask, cancel);
  }

  stop(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
