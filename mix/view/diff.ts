// SPDX-License-Identifier: MIT OR Apache-2.0
// Line diffs of the files that a tool call changes, with two lines of context.
import { printable } from "../../display/printable.ts";
import type { Style, Text } from "../../display/styled.ts";
import { characterWidth, displayWidth } from "../../display/width.ts";

export interface DiffLine {
  readonly mark: " " | "-" | "+" | "…";
  readonly text: string;
}

/** Compares two texts by line. Where the part that differs is too long to compare, it is removed and added whole. */
export function diffLines(before: string, after: string): DiffLine[] {
  const previous = splitLines(before);
  const next = splitLines(after);
  let head = 0;
  while (head < previous.length && head < next.length && previous[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < previous.length - head && tail < next.length - head && previous.at(-1 - tail) === next.at(-1 - tail))
    tail += 1;
  return [
    ...previous.slice(0, head).map((text) => ({ mark: " " as const, text })),
    ...diffMiddle(previous.slice(head, previous.length - tail), next.slice(head, next.length - tail)),
    ...previous.slice(previous.length - tail).map((text) => ({ mark: " " as const, text })),
  ];
}

/** Keeps the changes with two lines of context each, `linesMax` lines at most. */
export function selectChanges(lines: readonly DiffLine[], linesMax: number): DiffLine[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - contextLineCount), index + contextLineCount + 1).some(({ mark }) => mark !== " "),
  );
  const selected: DiffLine[] = [];
  for (const [index, line] of lines.entries()) {
    if (near[index] === true) selected.push(line);
    else if (selected.length > 0 && selected.at(-1)?.mark !== "…") selected.push({ mark: "…", text: "" });
  }
  if (selected.at(-1)?.mark === "…") selected.pop();
  if (selected.length <= linesMax) return selected;
  return [...selected.slice(0, linesMax), { mark: "…", text: `${selected.length - linesMax} more lines` }];
}

export interface RenderedDiff {
  readonly lines: readonly Text[];
  /** True when lines or characters of a change were left out. */
  readonly isCut: boolean;
}

/** Renders coloured lines, wrapped at `columns`; 0 wraps nothing. */
export function renderDiff(
  before: string,
  after: string,
  options: { style: Style; columns: number; linesMax: number },
): RenderedDiff {
  const { style, columns, linesMax } = options;
  const selected = selectChanges(diffLines(before, after), linesMax);
  let isCut = selected.length > linesMax;
  const lines = selected.flatMap(({ mark, text }) => {
    const whole = printable(text).replaceAll("\t", "    ");
    const rows = columns > 0 ? splitIntoRows(whole, Math.max(columnsMin, columns - 2)) : [whole];
    isCut ||= rows.length > rowsPerLineMax;
    const colour = mark === "+" ? style.added : mark === "-" ? style.removed : (row: Text) => row;
    return truncateRows(rows).map((row, index) => colour(`${mark}${index === 0 ? " " : "↳"}${row}`));
  });
  return { lines, isCut };
}

function splitIntoRows(text: string, columns: number): string[] {
  const rows: string[] = [];
  let row = "";
  let width = 0;
  for (const character of text) {
    const more = characterWidth(character);
    if (width + more > columns) {
      // Breaks between words, unless that leaves half of the row empty.
      const space = row.lastIndexOf(" ") + 1;
      const end = space > row.length >> 1 && character !== " " ? space : row.length;
      rows.push(row.slice(0, end));
      row = row.slice(end);
      width = displayWidth(row);
    }
    row += character;
    width += more;
  }
  return [...rows, row];
}

/** Bounds the rows of one line, since a minified file can be a single line. */
function truncateRows(rows: readonly string[]): readonly string[] {
  if (rows.length <= rowsPerLineMax) return rows;
  const left = Array.from(rows.slice(rowsPerLineMax).join("")).length;
  return [...rows.slice(0, rowsPerLineMax), `… ${left} more characters`];
}

const contextLineCount = 2;
const rowsPerLineMax = 12;
const columnsMin = 8;
/** Bounds the table of the comparison to about 1000 by 1000 lines: 4 MB and a few milliseconds. */
const tableCellsMax = 1_000_000;

function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

// Longest common subsequence. The table is filled from the end, so that the result is read off in order.
function diffMiddle(previous: readonly string[], next: readonly string[]): DiffLine[] {
  if (previous.length * next.length > tableCellsMax) return toReplacement(previous, next);
  const across = next.length + 1;
  const common = new Uint32Array((previous.length + 1) * across);
  const at = (i: number, j: number): number => common[i * across + j] ?? 0;
  for (let i = previous.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      common[i * across + j] = previous[i] === next[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < previous.length && j < next.length) {
    if (previous[i] === next[j]) {
      lines.push({ mark: " ", text: previous[i] ?? "" });
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push({ mark: "-", text: previous[i++] ?? "" });
    else lines.push({ mark: "+", text: next[j++] ?? "" });
  }
  return [...lines, ...toReplacement(previous.slice(i), next.slice(j))];
}

function toReplacement(previous: readonly string[], next: readonly string[]): DiffLine[] {
  return [
    ...previous.map((text) => ({ mark: "-" as const, text })),
    ...next.map((text) => ({ mark: "+" as const, text })),
  ];
}
