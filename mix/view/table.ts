// SPDX-License-Identifier: MIT OR Apache-2.0
// Tables and lists of facts. On a terminal they are fitted to its width; anywhere else nothing is cut.
import { printableLine } from "../../display/printable.ts";
import { displayWidth, truncateStart, truncateToWidth } from "../../display/width.ts";
import type { Context } from "../process/context.ts";
import { wrappedText } from "../../display/styled.ts";

/** What tables are fitted to. */
export interface TableFit {
  /** 0 cuts nothing. */
  readonly columns: number;
  /** Is written as `~`. */
  readonly home: string;
}

export const uncut: TableFit = { columns: 0, home: "" };

export function detectFit({ stdout, home }: Pick<Context, "stdout" | "home">, isWhole: boolean): TableFit {
  return stdout.isTTY && !isWhole ? { columns: stdout.columns, home } : uncut;
}

/** A column that may be cut. It keeps at least `min` columns; with 0 it is left out entirely. */
export interface Cut {
  readonly column: number;
  readonly min: number;
  /** Cuts the beginning, as the end of a path says more. */
  readonly keepsEnd?: true;
}

/**
 * Makes cells printable, each on one line, and aligns columns by display width. A table that is too wide loses the columns
 * of `cuts` without any content below the title; then the columns of `cuts` are cut, in that order, as far as needed.
 */
export function formatTable(
  cells: readonly (readonly string[])[],
  { columns }: Pick<TableFit, "columns"> = uncut,
  cuts: readonly Cut[] = [],
): string[] {
  const rows = cells.map((row) => row.map(printableLine));
  const widths = naturalWidths(rows);
  const lefts = new Set<number>();
  if (columns > 0) {
    for (const { column } of cuts) {
      if (totalWidth(widths) > columns && isEmptyColumn(rows, column)) widths[column] = 0;
    }
    for (const { column, min, keepsEnd } of cuts) {
      const over = totalWidth(widths) - columns;
      const width = widths[column] ?? 0;
      if (over <= 0 || width === 0) continue;
      widths[column] = min === 0 ? 0 : Math.max(Math.min(min, width), width - over);
      if (keepsEnd === true) lefts.add(column);
    }
  }
  const fitted = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    const text = (lefts.has(column) ? truncateStart : truncateToWidth)(cell, width);
    return text + " ".repeat(Math.max(0, width - displayWidth(text)));
  };
  return rows.map((row) => {
    const kept = row.flatMap((cell, column) => (widths[column] === 0 ? [] : [fitted(cell, column)]));
    const line = kept.join(gap).trimEnd();
    return columns > 0 ? truncateToWidth(line, columns) : line;
  });
}

const gap = "  ";

function naturalWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
  }
  return widths;
}

function totalWidth(widths: readonly number[]): number {
  const shown = widths.filter((width) => width > 0);
  return shown.reduce((sum, width) => sum + width + gap.length, -gap.length);
}

function isEmptyColumn(rows: readonly (readonly string[])[], column: number): boolean {
  return rows.length > 1 && rows.slice(1).every((row) => ["", "-"].includes(row[column] ?? ""));
}

/** Formats names with their values. On a terminal long values are wrapped below their beginning, and nothing is cut. */
export function formatFacts(
  facts: readonly (readonly [string, string])[],
  { columns }: Pick<TableFit, "columns">,
): string[] {
  const width = Math.max(0, ...facts.map(([name]) => displayWidth(name))) + gap.length;
  const room = columns > 0 ? Math.max(factColumnsMin, columns - width) : 0;
  return facts.flatMap(([name, value]) => {
    const lines = wrappedText(printableLine(value), room).split("\n");
    return lines.map((line, index) => {
      const before = index === 0 ? printableLine(name) : "";
      return (before + " ".repeat(Math.max(0, width - displayWidth(before))) + line).trimEnd();
    });
  });
}

const factColumnsMin = 20;
