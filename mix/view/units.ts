// SPDX-License-Identifier: MIT OR Apache-2.0
// Formats ages, durations and sizes.

/** Formats an age in its largest unit, rounded down: `3s`, `12m`, `5h`, `2d`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** Formats the time left, rounded up to seconds so that a limit of ten minutes starts as `10m`. */
export function formatTimeLeft(ms: number): string {
  return formatAge(Math.ceil(ms / 1000) * 1000);
}

/** Formats the time left until an ISO time; null means no limit. */
export function formatTimeUntil(end: string | null, now: number): string {
  return end === null ? "no limit" : formatTimeLeft(Date.parse(end) - now);
}

/** Formats a duration: `0.9s`, `12.3s`, and from a minute on as an age. */
export function formatDuration(ms: number): string {
  return ms < 60_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)}s` : formatAge(ms);
}

/** Formats bytes in their largest binary unit: `512 B`, `1.5 KiB`, `20.0 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), sizeUnits.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${sizeUnits[power - 1]}`;
}

const sizeUnits = ["KiB", "MiB", "GiB", "TiB"];
