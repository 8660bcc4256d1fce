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
