// SPDX-License-Identifier: MIT OR Apache-2.0

const backoffFirstMs = 250;
/** The Bus contract's own bound. */
const backoffMaxMs = 30_000;

/**
 * Full jitter: a uniform random time from 0 to 250 ms doubled `failures` times, at most `maxMs`, so that many clients of
 * one broker do not come back in the same moment. `random` gives 0 up to, without, 1.
 */
export function backoffMs(failures: number, random: () => number, maxMs = backoffMaxMs): number {
  return random() * Math.min(backoffFirstMs * 2 ** failures, maxMs);
}
