// SPDX-License-Identifier: MIT OR Apache-2.0
import { displayWidth } from "../../display/width.ts";

/** Aligns columns by display width. Cells must already be printable lines. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, column) => padCell(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function padCell(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - displayWidth(cell)));
}
