// SPDX-License-Identifier: MIT OR Apache-2.0
// Parses a time in the past: an age (12h, 30d, 8w, 1d12h), a time of day, a day, or both.
import { durationMsOf } from "../../display/durations.ts";

/**
 * Returns RFC 3339 in UTC, or undefined if the text is not a time. Without a zone it is local time, as people read it. A
 * time of day (`14:30`) is the last one that has passed.
 */
export function parsePointInTime(text: string, now: number): string | undefined {
  const age = durationMsOf(text);
  if (age !== undefined) return isoTime(now - age);
  if (clockPattern.test(text)) return lastTimeOfDay(text, now);
  const [, date = "", time = "00:00", zone = ""] = datePattern.exec(text) ?? [];
  // Date.parse takes February 30 for a day in March.
  if (!isoTime(Date.parse(`${date}T00:00Z`))?.startsWith(date)) return undefined;
  return isoTime(Date.parse(`${date}T${time}${zone}`));
}

/** What `parsePointInTime` takes, for an error message. */
export const pointInTimeForms =
  "an age (10m, 1h30m, 30d), a time (14:30), a day (2026-01-31) or both (2026-01-31T14:30)";

const clock = String.raw`\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?`;
const clockPattern = new RegExp(`^${clock}$`, "u");
const datePattern = new RegExp(String.raw`^(\d{4}-\d\d-\d\d)(?:[T ](${clock})(Z|[+-]\d\d:\d\d)?)?$`, "u");

function lastTimeOfDay(clockTime: string, now: number): string | undefined {
  const day = new Date(now);
  // The day before, by the calendar: a day can have 23 or 25 hours.
  for (const date of [day.getDate(), day.getDate() - 1]) {
    const midnight = new Date(day.getFullYear(), day.getMonth(), date);
    const [hours = "", minutes = "", seconds = "0"] = clockTime.split(":");
    const time = midnight.setHours(Number(hours), Number(minutes), 0, Number(seconds) * 1000);
    if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) >= 60) return undefined;
    if (time <= now) return isoTime(time);
  }
  return undefined;
}

function isoTime(time: number): string | undefined {
  return Number.isNaN(new Date(time).getTime()) ? undefined : new Date(time).toISOString();
}
