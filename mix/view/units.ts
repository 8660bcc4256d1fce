// SPDX-License-Identifier: MIT OR Apache-2.0
// Times as people write them: 500ms, 30s, 10m, 2h, 1d.

/** Milliseconds, or undefined for what is no positive time or exceeds 24 days (a timer's longest). */
export function durationMsOf(text: string): number | undefined {
  const parts = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (parts === null) return undefined;
  const ms = Number(parts[1]) * (unitMs[parts[2] as keyof typeof unitMs] ?? Number.NaN);
  return ms > 0 && ms <= durationMsMax ? ms : undefined;
}

/** The age of something, in its largest unit: `3s`, `12m`, `5h`, `2d`. */
export function ageOf(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** How much time is left, as an age; a second that has begun counts, so that ten minutes are told as ten at first. */
export function leftWords(ms: number): string {
  return ageOf(Math.ceil(ms / 1000) * 1000);
}

/** The same for a time as the log writes it; null is no end. */
export function leftUntil(end: string | null, now: number): string {
  return end === null ? "no limit" : leftWords(Date.parse(end) - now);
}

/** How long something took: `0.9s`, `12.3s`, then as an age. */
export function tookOf(ms: number): string {
  return ms < 60_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)}s` : ageOf(ms);
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const durationMsMax = 24 * unitMs.d;
