// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes ages, durations, sizes and counts for people.

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

/** Formats a duration that has ended: `0.9s`, `12.3s`, `1m05s`. */
export function formatDuration(ms: number): string {
  return ms < 60_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)}s` : formatElapsed(ms);
}

/** Formats the time that has passed so far, in whole seconds: `12s`, `1m05s`, `2h05m`, `3d`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  if (minutes === 0) return `${seconds}s`;
  if (hours === 0) return `${minutes}m${twoDigits(seconds % 60)}s`;
  return hours < 24 ? `${hours}h${twoDigits(minutes % 60)}m` : `${Math.floor(hours / 24)}d`;
}

export function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

/** Formats a count with its noun: `1 entry`, `2 entries`. */
export function formatCount(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** Formats bytes in their largest binary unit: `512 B`, `1.5 KiB`, `20.0 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), sizeUnits.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${sizeUnits[power - 1]}`;
}

const sizeUnits = ["KiB", "MiB", "GiB", "TiB"];
