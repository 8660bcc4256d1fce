// SPDX-License-Identifier: MIT OR Apache-2.0
// Parses durations ("30m", "1h30m") and sizes ("10GB", "512MiB") in the configuration and in flags.

/** A Node timer fires at once beyond 2^31-1 ms (24.8 days), so longer durations are refused when they are read. */
export const durationMsMax = 24 * 24 * 60 * 60 * 1000;

export type Reading = { readonly ok: true; readonly value: number } | { readonly ok: false; readonly reason: string };

/**
 * Returns milliseconds. Accepts whole or decimal numbers with ms, s, m, h, d or w, larger units first, each at most
 * once ("90s", "1.5h", "1h30m"). Undefined for anything else, also for a number without a unit, which would be
 * ambiguous.
 */
export function durationMsOf(text: string): number | undefined {
  const parts = durationPattern.exec(text);
  if (parts === null || parts[0] === "") return undefined;
  const amounts = durationUnits.map((unit, index) => Number(parts[index + 1] ?? 0) * unit);
  return amounts.reduce((total, ms) => total + ms, 0);
}

/** Reads a duration in milliseconds, from one millisecond up to 24 days. */
export function readDuration(written: unknown): Reading {
  if (typeof written !== "string") return refuse(`must be a duration in quotes, such as "30m"${example(written)}`);
  const total = durationMsOf(written.trim());
  if (total === undefined) {
    const meant = /^[1-9]\d{0,5}$/.test(written.trim()) ? `; did you mean "${written.trim()}s"?` : "";
    return refuse(
      `${quote(written)} is not a duration; write a number and ms, s, m, h, d or w, such as "30m" or "1h30m"${meant}`,
    );
  }
  const value = Math.round(total);
  if (value < 1) return refuse(`${quote(written)} is too short; the shortest is "1ms"`);
  if (!(value <= durationMsMax)) return refuse(`${quote(written)} is longer than 24 days, the longest possible wait`);
  return { ok: true, value };
}

/**
 * Reads a size in bytes: a whole or decimal number with B, kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB
 * (powers of 1024), in any case. Refuses a number without a unit, less than one byte and more than 2^53 - 1 bytes.
 */
export function readSize(written: unknown): Reading {
  if (typeof written !== "string") return refuse(`must be a size in quotes, such as "10GB"`);
  const parts = sizePattern.exec(written.trim());
  const unit = parts?.[2] === undefined ? undefined : sizeUnits.get(parts[2].toLowerCase());
  if (parts === null || unit === undefined) {
    return refuse(
      `${quote(written)} is not a size; write a number and B, kB, MB, GB, TB, KiB, MiB, GiB or TiB, such as "10GB"`,
    );
  }
  const value = Math.round(Number(parts[1]) * unit);
  if (value < 1) return refuse(`${quote(written)} is too small; the smallest is "1B"`);
  if (!Number.isSafeInteger(value)) return refuse(`${quote(written)} is too large`);
  return { ok: true, value };
}

const amount = String.raw`(\d+(?:\.\d+)?)`;
const durationPattern = new RegExp(
  `^(?:${amount}w)?(?:${amount}d)?(?:${amount}h)?(?:${amount}m(?!s))?(?:${amount}s)?(?:${amount}ms)?$`,
  "u",
);
const durationUnits = [7 * 24 * 60 * 60 * 1000, 24 * 60 * 60 * 1000, 60 * 60 * 1000, 60 * 1000, 1000, 1];

const sizePattern = new RegExp(`^${amount} ?([kmgt]?i?b)$`, "iu");
const sizeUnits = new Map<string, number>([["b", 1]]);
for (const [index, letter] of ["k", "m", "g", "t"].entries()) {
  sizeUnits.set(`${letter}b`, 1000 ** (index + 1));
  sizeUnits.set(`${letter}ib`, 1024 ** (index + 1));
}

function refuse(reason: string): Reading {
  return { ok: false, reason };
}

function example(written: unknown): string {
  return typeof written === "number" && Number.isFinite(written) && written > 0 ? `; did you mean "${written}s"?` : "";
}

function quote(written: string): string {
  return JSON.stringify(written.length > 40 ? `${written.slice(0, 40)}…` : written);
}
