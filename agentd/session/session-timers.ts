// SPDX-License-Identifier: MIT OR Apache-2.0
// The timers of all sessions, by session, kind and key.
import { afterByWallClock, type Clock } from "../../bus-client/index.ts";
import type { Timer } from "./core/input.ts";

/**
 * Requests expire at a time of day that people were told, even if the machine slept. The other timers measure the
 * agent's working or idle time, which stops while the machine sleeps.
 */
const wallClockTimer: Timer = "request";
/** How often the clock is compared with the expiry of requests, because timers stop while the machine sleeps. */
const clockCheckMs = 2_000;

export class SessionTimers {
  readonly #clock: Clock;
  readonly #cancels = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces a timer with the same key. */
  arm(session: string, timer: Timer, key: string, afterMs: number, run: () => void): void {
    const name = timerName(session, timer, key);
    this.#cancels.get(name)?.();
    const expire = (): void => {
      this.#cancels.delete(name);
      run();
    };
    const cancel =
      timer === wallClockTimer
        ? afterByWallClock(this.#clock, afterMs, clockCheckMs, expire)
        : this.#clock.after(afterMs, expire);
    this.#cancels.set(name, cancel);
  }

  disarm(session: string, timer: Timer, key: string): void {
    const name = timerName(session, timer, key);
    this.#cancels.get(name)?.();
    this.#cancels.delete(name);
  }

  disarmAll(session: string): void {
    const prefix = `${session}/`;
    for (const [name, cancel] of this.#cancels) {
      if (!name.startsWith(prefix)) continue;
      cancel();
      this.#cancels.delete(name);
    }
  }

  clear(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }
}

function timerName(session: string, timer: Timer, key: string): string {
  return `${session}/${timer}/${key}`;
}
