// SPDX-License-Identifier: MIT OR Apache-2.0
// Ages, durations and sizes as people read them.

/** The age of something, in its largest unit: `3s`, `12m`, `5h`, `2d`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** How much time is left, as an age; a second that has begun counts, so that ten minutes are told as ten at first. */
export function formatTimeLeft(ms: number): string {
  return formatAge(Math.ceil(ms / 1000) * 1000);
}

/** The same for a time as the log writes it; null is no end. */
export function formatTimeUntil(end: string | null, now: number): string {
  return end === null ? "no limit" : formatTimeLeft(Date.parse(end) - now);
}

/** How long something took: `0.9s`, `12.3s`, then as an age. */
export function formatDuration(ms: number): string {
  return ms < 60_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)}s` : formatAge(ms);
}

/** In its largest binary unit: `512 B`, `1.5 KiB`, `20.0 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), sizeUnits.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${sizeUnits[power - 1]}`;
}

const sizeUnits = ["KiB", "MiB", "GiB", "TiB"];
