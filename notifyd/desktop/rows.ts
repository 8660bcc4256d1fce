// SPDX-License-Identifier: MIT OR Apache-2.0
// Estimates whether a notification shows a text in full. GNOME Shell and xfce4-notifyd show six rows and drop the rest
// without a sign; dunst cuts the middle out of a body that is too high.
import { characterWidth, displayWidth } from "../../display/width.ts";

export const rowsMax = 6;
/** Columns that fit in a row even in capital letters of a proportional font. */
export const columnsMax = 34;
/** Combining marks on one letter. More of them are drawn over the rows above and below. */
const marksMax = 3;

/** Tells whether a printable text is shown in full. */
export function fitsInRows(text: string): boolean {
  const lines = text.split("\n");
  const hasFewMarks = !tooManyMarks.test(text);
  // Some services break a word that is wider than a row, others let it run out of sight.
  const canWrap = lines.every((line) => line.split(" ").every((word) => displayWidth(word) <= columnsMax));
  return hasFewMarks && canWrap && lines.reduce((rows, line) => rows + countRows(line), 0) <= rowsMax;
}

/** Cuts the text to `rows` rows, with an ellipsis where something is left out. */
export function truncateToRows(text: string, rows: number): string {
  const limited = text.replaceAll(new RegExp(tooManyMarks, "gu"), (marks) => `${marks.slice(0, marksMax)}…`);
  let result = "";
  let columnsLeft = rows * columnsMax - 1;
  for (const character of limited) {
    columnsLeft -= character === "\n" ? columnsMax : characterWidth(character);
    if (columnsLeft < 0) return `${result.trimEnd()}…`;
    result += character;
  }
  return result;
}

const tooManyMarks = new RegExp(`\\p{M}{${marksMax + 1},}`, "u");

/** Wraps between words and counts the spaces at the end of a row. */
function countRows(line: string): number {
  let rows = 1;
  let column = 0;
  for (const word of line.split(/(?<= )/)) {
    const width = displayWidth(word);
    if (column > 0 && column + width > columnsMax) {
      rows += 1;
      column = 0;
    }
    column += width;
  }
  return rows;
}
