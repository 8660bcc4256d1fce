// SPDX-License-Identifier: MIT OR Apache-2.0
// Watches the size of the log. Warns early; at the quota nothing new may start. Running sessions may use half of the
// reserve above the quota and are then ended, for whose entries the other half suffices.
import { LogError } from "./log/log-error.ts";
import { type QuotaLevel, quotaLevel, quotaReserve } from "./log/space.ts";

export interface QuotaWatch {
  /** Bytes. Throws LogError if the file's header cannot be read, as does `level`. */
  readonly used: () => number;
  readonly level: () => QuotaLevel;
  /** Call it after a commit. Reports changes since the previous call. */
  check(): void;
}

export interface QuotaWatchOptions {
  readonly used: () => number;
  readonly quota: () => number;
  readonly onLevel: (level: QuotaLevel, used: number, quota: number) => void;
  /** Called when running sessions have used up their share of the reserve. */
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
      // The commit is valid all the same, and the next one checks again.
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
