// SPDX-License-Identifier: MIT OR Apache-2.0
// Tables of Markdown, drawn to the screen's width: cells that are too wide are wrapped.
import { joined, linesOf, type Style, type Text, widthOf } from "../../display/styled.ts";
import { WordWrap } from "../../display/word-wrap.ts";
import type { Alignment } from "./markdown-lines.ts";

export interface TableLayout {
  readonly widths: readonly number[];
  readonly alignments: readonly Alignment[];
}

/** Writes a cell's text into the wrap. */
export type WriteCell = (wrap: WordWrap, cell: string, isHeader: boolean) => void;

/** Gives each column what it needs, and where that is too much, takes from the widest. Undefined if nothing helps. */
export function layoutOf(
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
  columns: number,
  write: WriteCell,
): TableLayout | undefined {
  const needed = alignments.map((_, column) =>
    Math.max(1, ...rows.map((row, index) => widthOf(cellText(row[column], unwrapped, index === 0, write)))),
  );
  const room = columns - separator.length * (needed.length - 1);
  let cap = Math.max(...needed);
  const taken = (): number => needed.reduce((total, width) => total + Math.min(width, cap), 0);
  while (cap > widthMin && taken() > room) cap -= 1;
  return taken() > room ? undefined : { widths: needed.map((width) => Math.min(width, cap)), alignments };
}

/** The screen's rows of a table's row. */
export function tableRow(
  cells: readonly string[],
  { widths, alignments }: TableLayout,
  isHeader: boolean,
  style: Style,
  write: WriteCell,
): Text[] {
  const columns = widths.map((width, column) => linesOf(cellText(cells[column], width, isHeader, write)));
  const height = Math.max(...columns.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) => {
    const parts = columns.map((lines, column): Text => {
      const text = lines[row] ?? "";
      const missing = (widths[column] ?? 0) - widthOf(text);
      return padded(text, missing, alignments[column], column === widths.length - 1);
    });
    return joined(parts.flatMap((part, column) => (column === 0 ? [part] : [style.faint(separator), part])));
  });
}

export function tableRule({ widths }: TableLayout, style: Style): Text {
  return style.faint(widths.map((width) => "─".repeat(width)).join("─┼─"));
}

function cellText(cell: string | undefined, width: number, isHeader: boolean, write: WriteCell): Text {
  const wrap = new WordWrap(width);
  write(wrap, cell ?? "", isHeader);
  wrap.flush();
  return wrap.take();
}

function padded(text: Text, missing: number, alignment: Alignment | undefined, isLast: boolean): Text {
  const left = alignment === "right" ? missing : alignment === "center" ? missing >> 1 : 0;
  const right = isLast ? 0 : missing - left;
  if (left <= 0 && right <= 0) return text;
  return joined([" ".repeat(Math.max(0, left)), text, " ".repeat(Math.max(0, right))]);
}

const separator = " │ ";
const unwrapped = 100_000;
const widthMin = 3;
