// SPDX-License-Identifier: MIT OR Apache-2.0
// What a tool call changed in a file, line by line, with a little of what stands around it.
import { printable } from "../../display/printable.ts";
import type { Style, Text } from "../../display/styled.ts";
import { characterWidth } from "../../display/width.ts";

export interface DiffLine {
  readonly mark: " " | "-" | "+" | "…";
  readonly text: string;
}

/** Of a long text only the ends that agree are compared line by line; the middle is shown as removed, then added. */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = splitLines(before);
  const now = splitLines(after);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return [
    ...old.slice(0, head).map((text) => ({ mark: " " as const, text })),
    ...diffMiddle(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...old.slice(old.length - tail).map((text) => ({ mark: " " as const, text })),
  ];
}

/** Two lines of context around each change, and at most `linesMax` lines. */
export function selectChanges(lines: readonly DiffLine[], linesMax: number): DiffLine[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - contextLineCount), index + contextLineCount + 1).some(({ mark }) => mark !== " "),
  );
  const kept: DiffLine[] = [];
  for (const [index, line] of lines.entries()) {
    if (near[index] === true) kept.push(line);
    else if (kept.length > 0 && kept.at(-1)?.mark !== "…") kept.push({ mark: "…", text: "" });
  }
  if (kept.at(-1)?.mark === "…") kept.pop();
  if (kept.length <= linesMax) return kept;
  return [...kept.slice(0, linesMax), { mark: "…", text: `${kept.length - linesMax} more lines` }];
}

export interface RenderedDiff {
  readonly lines: readonly Text[];
  /** A change is longer than what is shown of it. */
  readonly isCut: boolean;
}

/** Coloured lines; one that is wider than `columns` goes on below, where `columns` is not 0. */
export function renderDiff(
  before: string,
  after: string,
  options: { style: Style; columns: number; linesMax: number },
): RenderedDiff {
  const { style, columns, linesMax } = options;
  const kept = selectChanges(diffLines(before, after), linesMax);
  let isCut = kept.length > linesMax;
  const lines = kept.flatMap(({ mark, text }) => {
    const whole = printable(text).replaceAll("\t", "    ");
    const rows = columns > 0 ? splitIntoRows(whole, Math.max(columnsMin, columns - 2)) : [whole];
    isCut ||= rows.length > rowsPerLineMax;
    const colour = mark === "+" ? style.green : mark === "-" ? style.red : style.dim;
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
      rows.push(row);
      row = "";
      width = 0;
    }
    row += character;
    width += more;
  }
  return [...rows, row];
}

/** A line may be a whole file's. */
function truncateRows(rows: readonly string[]): readonly string[] {
  if (rows.length <= rowsPerLineMax) return rows;
  const left = Array.from(rows.slice(rowsPerLineMax).join("")).length;
  return [...rows.slice(0, rowsPerLineMax), `… ${left} more characters`];
}

const contextLineCount = 2;
const rowsPerLineMax = 12;
const columnsMin = 8;
/** Cells of the comparison's table: about 1000 by 1000 lines, some 4 MB and a few milliseconds. */
const tableCellsMax = 1_000_000;

function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

// The longest common subsequence, from the end, so that the way back reads forwards.
function diffMiddle(old: readonly string[], now: readonly string[]): DiffLine[] {
  if (old.length * now.length > tableCellsMax) return toReplacement(old, now);
  const across = now.length + 1;
  const common = new Uint32Array((old.length + 1) * across);
  const at = (i: number, j: number): number => common[i * across + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      common[i * across + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      lines.push({ mark: " ", text: old[i] ?? "" });
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push({ mark: "-", text: old[i++] ?? "" });
    else lines.push({ mark: "+", text: now[j++] ?? "" });
  }
  return [...lines, ...toReplacement(old.slice(i), now.slice(j))];
}

function toReplacement(old: readonly string[], now: readonly string[]): DiffLine[] {
  return [...old.map((text) => ({ mark: "-" as const, text })), ...now.map((text) => ({ mark: "+" as const, text }))];
}
