// SPDX-License-Identifier: MIT OR Apache-2.0
// The timers of all sessions, each known by its session, its kind and its key.
import { afterByWallClock, type Clock } from "../../../bus-client/index.ts";
import type { Timer } from "../core/input.ts";

/**
 * What people are asked is over at a time of day that they were told, also where the machine slept over it. The others give
 * an agent time to work in, or leave it idle for a time: it does neither while the machine sleeps.
 */
const byClock: ReadonlySet<Timer> = new Set(["permission", "elicitation"]);
/** How often the clock is compared with the ends of questions: timers stand still while the machine sleeps. */
const lookMs = 2_000;

export class SessionTimers {
  readonly #clock: Clock;
  readonly #cancels = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** In the place of the one with the same key. */
  arm(session: string, timer: Timer, key: string, afterMs: number, run: () => void): void {
    const name = timerName(session, timer, key);
    this.#cancels.get(name)?.();
    const over = (): void => {
      this.#cancels.delete(name);
      run();
    };
    const isByClock = byClock.has(timer);
    const cancel = isByClock ? afterByWallClock(this.#clock, afterMs, lookMs, over) : this.#clock.after(afterMs, over);
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
