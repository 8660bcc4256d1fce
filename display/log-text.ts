// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes a program's log for people who run it in a terminal.
import { printableLine } from "./printable.ts";

/**
 * Turns one JSON line of pino into text for people: local time, level if it is not ordinary, message and details, with an
 * error's stack below. Returns anything else unchanged.
 */
export function logText(line: string): string {
  let entry: Readonly<Record<string, unknown>>;
  try {
    entry = JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return line;
  }
  const { level, time, pid: _pid, msg, err, ...details } = entry;
  const shown = Object.entries(details).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const said = `${levelText(Number(level))}${typeof msg === "string" ? msg : ""}${shown.length === 0 ? "" : ` (${shown.join(", ")})`}`;
  const stack = (err as { readonly stack?: unknown } | undefined)?.stack;
  const below = typeof stack === "string" ? stack.split("\n").map((row) => `\n    ${row.trim()}`) : [];
  return `${new Date(String(time)).toTimeString().slice(0, 8)} ${printableLine(said)}${below.join("")}\n`;
}

/** The levels are pino's. */
function levelText(level: number): string {
  if (level >= 50) return "error: ";
  if (level >= 40) return "warning: ";
  return level < 30 ? "debug: " : "";
}
