// SPDX-License-Identifier: MIT OR Apache-2.0
// How full the log is. Told before it matters; from the quota on nothing new begins, and half of the reserve above it is
// left to what runs: then that is ended, and the other half takes the entries that end it.
import { LogError } from "./log/log-error.ts";
import { type QuotaLevel, quotaLevel, quotaReserve } from "./log/space.ts";

export interface QuotaWatch {
  /** Bytes. Throws LogError where the file's head cannot be read, as `level` does. */
  readonly used: () => number;
  readonly level: () => QuotaLevel;
  /** After a commit: tells what changed since the last one. */
  check(): void;
}

export interface QuotaWatchOptions {
  readonly used: () => number;
  readonly quota: () => number;
  readonly onLevel: (level: QuotaLevel, used: number, quota: number) => void;
  /** What runs has used up its share of the reserve. */
  readonly onOverrun: () => void;
}

export function watchQuota({ used, quota, onLevel, onOverrun }: QuotaWatchOptions): QuotaWatch {
  let level: QuotaLevel = "plenty";
  let overrun = false;
  return {
    used,
    level: () => quotaLevel(used(), quota()),
    check() {
      const [bytes, limit] = [tryRead(used), quota()];
      // The commit stands all the same, and the next one looks again.
      if (bytes === undefined) return;
      const now = quotaLevel(bytes, limit);
      if (now !== level) onLevel(now, bytes, limit);
      level = now;
      const over = bytes >= limit + quotaReserve(limit) / 2;
      if (over && !overrun) onOverrun();
      overrun = over;
    },
  };
}

function tryRead(used: () => number): number | undefined {
  try {
    return used();
  } catch (error) {
    if (error instanceof LogError) return undefined;
    throw error;
  }
}
