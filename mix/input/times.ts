// SPDX-License-Identifier: MIT OR Apache-2.0
// A time in the past as people write it: an age (12h, 30d, 8w), a day, or a time with its zone.

/** RFC 3339 in UTC; a day begins at midnight UTC, as the log counts. Undefined for what is no time. */
export function pointInTime(text: string, now: number): string | undefined {
  const age = /^(\d{1,6})(m|h|d|w)$/.exec(text);
  if (age !== null) {
    return new Date(now - Number(age[1]) * unitMs[age[2] as keyof typeof unitMs]).toISOString();
  }
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)) return undefined;
  const [day, time] = [Date.parse(text.slice(0, 10)), Date.parse(text)];
  if (Number.isNaN(day) || Number.isNaN(time)) return undefined;
  // The engine takes the 30th of February for a day in March.
  if (!new Date(day).toISOString().startsWith(text.slice(0, 10))) return undefined;
  return new Date(time).toISOString();
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;
