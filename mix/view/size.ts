// SPDX-License-Identifier: MIT OR Apache-2.0

/** In its largest binary unit: `512 B`, `1.5 KiB`, `20.0 MiB`. */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), sizeUnits.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${sizeUnits[power - 1]}`;
}

const sizeUnits = ["KiB", "MiB", "GiB", "TiB"];
