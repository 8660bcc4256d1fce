// SPDX-License-Identifier: MIT OR Apache-2.0
// Times as people write them: how long (500ms, 30s, 10m, 2h, 1d), and since when (12h, 30d, 8w, a day, or a time with its
// zone).

/** Milliseconds, or undefined for what is no positive time or exceeds 24 days (a timer's longest). */
export function durationMsOf(text: string): number | undefined {
  const parts = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (parts === null) return undefined;
  const ms = Number(parts[1]) * (durationUnitMs[parts[2] as keyof typeof durationUnitMs] ?? Number.NaN);
  return ms > 0 && ms <= durationMsMax ? ms : undefined;
}

/** RFC 3339 in UTC; a day begins at midnight UTC, as the log counts. Undefined for what is no time. */
export function pointInTime(text: string, now: number): string | undefined {
  const age = /^(\d{1,6})(m|h|d|w)$/.exec(text);
  if (age !== null) {
    return new Date(now - Number(age[1]) * ageUnitMs[age[2] as keyof typeof ageUnitMs]).toISOString();
  }
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)) return undefined;
  const [day, time] = [Date.parse(text.slice(0, 10)), Date.parse(text)];
  if (Number.isNaN(day) || Number.isNaN(time)) return undefined;
  // The engine takes the 30th of February for a day in March.
  if (!new Date(day).toISOString().startsWith(text.slice(0, 10))) return undefined;
  return new Date(time).toISOString();
}

const ageUnitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;
const durationUnitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const durationMsMax = 24 * durationUnitMs.d;
