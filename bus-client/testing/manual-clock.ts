// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Clock } from "../clock.ts";

/** A clock that moves only when a test moves it. */
export class ManualClock implements Clock {
  #now = Date.UTC(2026, 0, 1);
  #timers: { at: number; readonly run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Milliseconds from now until each pending timer, soonest first. */
  get pending(): number[] {
    return this.#timers.map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  /** Moves the wall clock without the timers, as when the machine sleeps or the clock is set. */
  shift(ms: number): void {
    this.#now += ms;
    for (const timer of this.#timers) timer.at += ms;
  }

  /** Moves the clock forward and runs the timers that become due, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== due);
      this.#now = Math.max(this.#now, due.at);
      due.run();
    }
    this.#now = end;
  }
}
