// SPDX-License-Identifier: MIT OR Apache-2.0
// Where in a TOML text a key stands. The parser keeps no positions, so the parser itself is asked: a key stands in the
// statement that ends the shortest beginning of the text which parses and has the key.
import { parse } from "smol-toml";

/**
 * The line (from 1) where the statement begins that brings `path`, or, where the text does not have it, the nearest
 * table or key above it. Null for the document as a whole, and in a text of more than 5,000 lines, where looking would
 * take seconds. `text` must be TOML that parses.
 */
export function locate(text: string, path: readonly (string | number)[]): number | null {
  const lines = text.split(/\r?\n/u);
  if (lines.length > linesMax) return null;
  const document = parse(text);
  let length = path.length;
  while (length > 0 && !has(document, path.slice(0, length))) length -= 1;
  return length === 0 ? null : statementLine(lines, path.slice(0, length));
}

const linesMax = 5_000;

interface Beginning {
  /** How many lines: the end of a statement. */
  readonly end: number;
  readonly document: unknown;
}

/** Bisection: a longer beginning never has fewer keys. */
function statementLine(lines: readonly string[], path: readonly (string | number)[]): number {
  let before: Beginning = { end: 0, document: {} };
  let low = 0;
  let high = lines.length;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const beginning = wholeStatements(lines, middle, before);
    if (has(beginning.document, path)) {
      high = beginning.end;
    } else {
      low = middle;
      before = beginning;
    }
  }
  return firstFullLine(lines, before.end);
}

/** The longest beginning within `count` lines that parses, `known` at least: a statement over several lines parses only when it is closed. */
function wholeStatements(lines: readonly string[], count: number, known: Beginning): Beginning {
  for (let end = count; end > known.end; end -= 1) {
    try {
      return { end, document: parse(lines.slice(0, end).join("\n")) };
    } catch {
      // In the midst of a statement.
    }
  }
  return known;
}

function firstFullLine(lines: readonly string[], end: number): number {
  let line = end;
  while (line < lines.length - 1 && /^\s*(?:#|$)/u.test(lines[line] ?? "")) line += 1;
  return line + 1;
}

function has(document: unknown, path: readonly (string | number)[]): boolean {
  let value = document;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return false;
    value = (value as Record<string | number, unknown>)[step];
  }
  return true;
}
