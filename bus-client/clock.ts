// SPDX-License-Identifier: MIT OR Apache-2.0

/** Time, handed in, so that a test can move it. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Runs once after `ms` milliseconds; what comes back cancels it. A pending one keeps the process alive. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Runs once when `ms` milliseconds are over, by the timers or by the clock, whichever is first: timers stand still while
 * the machine sleeps, and a clock that is set back keeps nothing open. The clock is looked at every `lookMs`, which also
 * makes waits possible that are longer than a timer can hold. The result cancels it.
 */
export function afterByWallClock(clock: Clock, ms: number, lookMs: number, run: () => void): () => void {
  const end = clock.now() + ms;
  let cancel: () => void = () => {};
  wait(ms);
  return () => cancel();

  function wait(left: number): void {
    const piece = Math.max(0, Math.min(left, lookMs, end - clock.now()));
    cancel = clock.after(piece, () => {
      if (left > piece && clock.now() < end) wait(left - piece);
      else run();
    });
  }
}
