// SPDX-License-Identifier: MIT OR Apache-2.0

/** Time as a parameter, so that a test can control it. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Runs once after `ms` milliseconds. Returns a function that cancels it. A pending timer keeps the process alive. */
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
 * Runs once when `ms` milliseconds have passed by timers or by the wall clock, whichever comes first: timers stand still
 * while the machine sleeps, and a clock that is set back must not delay it. Checks the clock every `checkMs`, so waits may
 * be longer than a timer allows. Returns a function that cancels it.
 */
export function afterByWallClock(clock: Clock, ms: number, checkMs: number, run: () => void): () => void {
  const end = clock.now() + ms;
  let cancel: () => void = () => {};
  wait(ms);
  return () => cancel();

  function wait(left: number): void {
    const step = Math.max(0, Math.min(left, checkMs, end - clock.now()));
    cancel = clock.after(step, () => {
      if (left > step && clock.now() < end) wait(left - step);
      else run();
    });
  }
}
