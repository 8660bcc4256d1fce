// SPDX-License-Identifier: MIT OR Apache-2.0
// A screen of unlimited height on which a program's output is drawn: line feeds, cursor movements, erasures and colours.
import { characterWidth } from "../../display/width.ts";

interface Cell {
  readonly text: string;
  /** The SGR codes in force, in order. */
  readonly codes: string;
}

/** The rows as text. */
export function screenOf(written: string): string[] {
  return cellsOf(written).map((row) => row.map(({ text }) => text).join(""));
}

/** The rows with their colours, each piece as `[codes]text`. */
export function colouredScreenOf(written: string): string[] {
  return cellsOf(written).map((row) => {
    let codes = "";
    return row
      .map((cell) => {
        const change = cell.codes === codes ? "" : `[${cell.codes}]`;
        ({ codes } = cell);
        return change + cell.text;
      })
      .join("");
  });
}

function cellsOf(written: string): Cell[][] {
  const rows: Cell[][] = [[]];
  const on = new Set<string>();
  let [row, column] = [0, 0];
  // eslint-disable-next-line no-control-regex
  for (const [part, parameters = "", letter] of written.matchAll(/\u001b\[\??([\d;]*)([A-Za-z])|[^]/gu)) {
    const cells = (rows[row] ??= []);
    if (letter === "m") for (const code of parameters.split(";")) applySgr(on, code);
    else if (letter === "A") row = Math.max(0, row - Number(parameters || 1));
    else if (letter === "G") column = Number(parameters || 1) - 1;
    else if (letter === "K") cells.length = Math.min(cells.length, column);
    else if (letter === "J") {
      cells.length = Math.min(cells.length, column);
      rows.length = row + 1;
    } else if (part === "\r") column = 0;
    else if (part === "\n") [row, column] = [row + 1, 0];
    else if (letter === undefined) column += put(cells, column, part, Array.from(on).sort().join(";"));
  }
  // A cursor below the last row makes an empty one.
  for (let index = 0; index <= row; index += 1) rows[index] ??= [];
  return rows;
}

/** Returns the columns that the character takes. */
function put(cells: Cell[], column: number, text: string, codes: string): number {
  const width = characterWidth(text);
  const last = cells[column - 1];
  if (width === 0 && last !== undefined) {
    cells[column - 1] = { ...last, text: last.text + text };
    return 0;
  }
  while (cells.length < column) cells.push({ text: " ", codes: "" });
  cells[column] = { text, codes };
  if (width === 2) cells[column + 1] = { text: "", codes };
  return width;
}

function applySgr(on: Set<string>, code: string): void {
  const ended = ends[code];
  if (code === "" || code === "0") on.clear();
  else if (ended === undefined) on.add(code);
  else for (const one of ended) on.delete(one);
}

/** What the codes that end something end. */
const ends: Readonly<Record<string, readonly string[]>> = {
  "22": ["1", "2"],
  "23": ["3"],
  "24": ["4"],
  "29": ["9"],
  "39": ["31", "32", "33", "34", "35", "36", "91", "95"],
};
