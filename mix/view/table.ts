// SPDX-License-Identifier: MIT OR Apache-2.0
import { printableLine } from "../../display/printable.ts";
import { displayWidth } from "../../display/width.ts";

/** Makes cells printable, each on one line, and aligns columns by display width. */
export function formatTable(cells: readonly (readonly string[])[]): string[] {
  const rows = cells.map((row) => row.map(printableLine));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
  }
  const pad = (cell: string, column: number): string => cell + " ".repeat((widths[column] ?? 0) - displayWidth(cell));
  return rows.map((row) => row.map(pad).join("  ").trimEnd());
}
