// SPDX-License-Identifier: MIT OR Apache-2.0
// Ends asks whose time is over.
import { afterByClock, type Clock } from "../bus-client/index.ts";

export class Expiry {
  readonly #clock: Clock;
  readonly #lookMs: number;
  readonly #expire: (ask: string) => void;
  readonly #timers = new Map<string, () => void>();

  constructor(clock: Clock, lookMs: number, expire: (ask: string) => void) {
    this.#clock = clock;
    this.#lookMs = lookMs;
    this.#expire = expire;
  }

  arm(ask: string, expiresAt: string | null): void {
    this.disarm(ask);
    if (expiresAt === null) return;
    const cancel = afterByClock(this.#clock, Date.parse(expiresAt) - this.#clock.now(), this.#lookMs, () => {
      this.#timers.delete(ask);
      this.#expire(ask);
    });
    this.#timers.set(ask, cancel);
  }

  disarm(ask: string): void {
    this.#timers.get(ask)?.();
    this.#timers.delete(ask);
  }

  stop(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
