// SPDX-License-Identifier: MIT OR Apache-2.0
// The rows in which the prompt line is drawn: notes, the prompt with the text around the cursor, and candidates of a
// completion. Pure, and nearly as quick for a text of a megabyte as for a word.
import { displayWidth, truncateStart, truncateToWidth } from "../../display/width.ts";
import { charactersOf, type Draft, lineEnd, lineStart } from "./draft.ts";
import { printableLine } from "../../display/printable.ts";
import { rich, type Style, type Text } from "../../display/styled.ts";
import { formatCount } from "../../display/units.ts";

export interface FrameParts {
  /** The text before the draft. */
  readonly prompt: string;
  readonly draft: Draft;
  /** Rows above the prompt. */
  readonly notes: readonly string[];
  /** Rows below the text. */
  readonly candidates: readonly string[];
}

export interface Frame {
  readonly rows: readonly { readonly text: Text; readonly columns: number }[];
  /** The cursor's place. Both count from 0. */
  readonly row: number;
  readonly column: number;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export function frameOf({ prompt, draft, notes, candidates }: FrameParts, screen: ScreenSize, style: Style): Frame {
  // A terminal that has written its last column is in a state of its own.
  const width = Math.max(textColumnsMin + 1, screen.columns - 1);
  const lead = truncateStart(printableLine(prompt), width - textColumnsMin);
  const leadColumns = displayWidth(lead);
  const rowsMax = Math.max(1, Math.min(textRowsMax, Math.floor(screen.rows / 3)));
  const { rows, row, column, above, below } = textRows(draft, width - leadColumns, rowsMax);
  const aside = (line: string): Frame["rows"][number] => {
    const shown = truncateToWidth(printableLine(line), width);
    return { text: style.faint(shown), columns: displayWidth(shown) };
  };
  const indent = " ".repeat(leadColumns);
  const top = [...notes, ...(above === undefined ? [] : [`${indent}${above}`])].map(aside);
  const body = rows.map((text, index) => ({
    text: rich`${index === 0 ? lead : indent}${text}`,
    columns: leadColumns + displayWidth(text),
  }));
  const bottom = [...(below === undefined ? [] : [`${indent}${below}`]), ...candidates].map(aside);
  return { rows: [...top, ...body, ...bottom], row: top.length + row, column: leadColumns + column };
}

interface TextRow {
  readonly text: string;
  /** 0 is the cursor's line, -1 the line above it. */
  readonly line: number;
}

interface ShownText {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
  /** What is said about lines that are not shown. */
  readonly above: string | undefined;
  readonly below: string | undefined;
}

/** Wraps the lines around the cursor, and selects the rows around it. */
function textRows({ text, cursor }: Draft, columns: number, rowsMax: number): ShownText {
  const from = nearStart(lineStart({ text, cursor }), cursor);
  const lineStop = lineEnd({ text, cursor });
  const before = shownPart(text, from, cursor);
  const current = wrapped(before + shownPart(text, cursor, Math.min(lineStop, cursor + unitsMax)), columns);
  const place = placeAfter(before, columns);
  // A cursor right of a full row stands in the next one.
  if (place.row === current.length) current.push("");
  const rows: TextRow[] = current.map((row) => ({ text: row, line: 0 }));
  let row = place.row;
  let top = from;
  for (let line = -1; top > 0 && top === lineStart({ text, cursor: top }) && row < rowsMax; line -= 1) {
    const end = top - 1;
    top = nearStart(lineStart({ text, cursor: end }), end);
    const added = wrapped(shownPart(text, top, end), columns);
    rows.unshift(...added.map((one) => ({ text: one, line })));
    row += added.length;
  }
  let bottom = Math.min(lineStop, cursor + unitsMax);
  for (let line = 1; text[bottom] === "\n" && rows.length - row < rowsMax; line += 1) {
    const begin = bottom + 1;
    bottom = Math.min(lineEnd({ text, cursor: begin }), begin + unitsMax);
    rows.push(...wrapped(shownPart(text, begin, bottom), columns).map((one) => ({ text: one, line })));
  }
  const first = Math.max(0, Math.min(row - Math.floor(rowsMax / 2), rows.length - rowsMax));
  const shown = rows.slice(first, first + rowsMax);
  const isCutAbove = first > 0 || top > 0;
  const isCutBelow = first + shown.length < rows.length || bottom < text.length;
  return {
    rows: shown.map((one) => one.text),
    row: row - first,
    column: place.column,
    above: isCutAbove ? hiddenText(countLines(text, 0, cursor) + (shown[0]?.line ?? 0), "above") : undefined,
    below: isCutBelow
      ? hiddenText(countLines(text, cursor, text.length) - (shown.at(-1)?.line ?? 0), "below")
      : undefined,
  };
}

function hiddenText(lines: number, where: string): string {
  return lines === 0 ? "…" : `… ${formatCount(lines, "line")} ${where}`;
}

/** The start of a line, or of the part of a very long one that ends at `end`. It moves rarely, so the rows stay. */
function nearStart(start: number, end: number): number {
  return start + Math.max(0, Math.floor((end - start) / unitsMax) - 1) * unitsMax;
}

function countLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

function shownPart(text: string, from: number, to: number): string {
  return printableLine(text.slice(from, to));
}

/** At least one row. A combining mark stays in the row of its letter. */
function wrapped(line: string, columns: number): string[] {
  if (ascii.test(line)) return line.match(new RegExp(`.{1,${columns}}`, "g")) ?? [""];
  const rows = [""];
  let width = 0;
  for (const character of charactersOf(line)) {
    const added = displayWidth(character);
    if (width > 0 && width + added > columns) {
      rows.push("");
      width = 0;
    }
    rows[rows.length - 1] += character;
    width += added;
  }
  // A joiner without the letter that it joins would be made visible.
  return rows.map((row) => row.replace(/[\u200c\u200d]$/, ""));
}

/** Where the cursor stands behind the text. */
function placeAfter(before: string, columns: number): { readonly row: number; readonly column: number } {
  const rows = wrapped(before, columns);
  const column = displayWidth(rows.at(-1) ?? "");
  return column < columns ? { row: rows.length - 1, column } : { row: rows.length, column: 0 };
}

const textColumnsMin = 8;
const textRowsMax = 8;
/** Of a longer line, only a part around the cursor is laid out. */
const unitsMax = 2048;
const ascii = /^[\u0020-\u007e]*$/;
