// SPDX-License-Identifier: MIT OR Apache-2.0
// Parses a time in the past: an age (12h, 30d, 8w, 1d12h), a day, or a time with its zone.
import { durationMsOf } from "../../display/durations.ts";

/** Returns RFC 3339 in UTC, or undefined if the text is not a time. A day begins at midnight UTC, as in the log. */
export function parsePointInTime(text: string, now: number): string | undefined {
  const age = durationMsOf(text);
  if (age !== undefined) return isDate(now - age) ? new Date(now - age).toISOString() : undefined;
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)) return undefined;
  const [day, time] = [Date.parse(text.slice(0, 10)), Date.parse(text)];
  if (Number.isNaN(day) || Number.isNaN(time)) return undefined;
  // Date.parse takes February 30 for a day in March.
  if (!new Date(day).toISOString().startsWith(text.slice(0, 10))) return undefined;
  return new Date(time).toISOString();
}

function isDate(time: number): boolean {
  return !Number.isNaN(new Date(time).getTime());
}
