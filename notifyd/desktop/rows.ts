// SPDX-License-Identifier: MIT OR Apache-2.0
// Estimates whether a notification shows a text in full. GNOME Shell and xfce4-notifyd show six rows and drop the rest
// without a sign; dunst cuts the middle out of a body that is too high.
import { characterWidth, displayWidth } from "../../display/width.ts";

export const rowsMax = 6;
/** Columns that fit in a row even in capital letters of a proportional font. */
export const columnsMax = 34;
/** Combining marks on one letter. More of them are drawn over the rows above and below. */
const marksMax = 3;

/** Columns that fit in a summary, which is bold. Wide letters count twice. */
const summaryColumnsMax = 44;
const wideLetters = /[A-Z@%&mw]|[^\u0020-\u007e]/gu;

/** Tells whether a body shows a printable text in full, with `breakLongWords`. */
export function fitsInRows(text: string): boolean {
  const lines = breakLongWords(text).split("\n");
  return !tooManyMarks.test(text) && lines.reduce((rows, line) => rows + countRows(line), 0) <= rowsMax;
}

/** Tells whether a summary shows a printable line in full. Services cut a summary at the end of its row. */
export function fitsInSummary(line: string): boolean {
  const columns = displayWidth(line) + (line.match(wideLetters)?.length ?? 0);
  return !tooManyMarks.test(line) && !line.includes("\n") && columns <= summaryColumnsMax;
}

/**
 * Lets a service break words that are wider than a row: after each `/`, and elsewhere if that is not enough. Otherwise some
 * let such a word run out of sight, and others draw a hyphen that is not in it.
 */
export function breakLongWords(text: string): string {
  return text.replaceAll(/[^ \n]+/gu, (word) => {
    if (displayWidth(word) <= columnsMax) return word;
    return word
      .split(/(?<=\/)/u)
      .flatMap(toPieces)
      .join(breakOpportunity);
  });
}

/** U+200B ZERO WIDTH SPACE. One that an asker wrote is shown as an escape. */
const breakOpportunity = "\u200b";

function toPieces(word: string): string[] {
  const pieces = [""];
  let columns = 0;
  for (const character of word) {
    const width = characterWidth(character);
    columns += width;
    if (columns > columnsMax && width > 0) {
      pieces.push("");
      columns = width;
    }
    pieces.push(`${pieces.pop()}${character}`);
  }
  return pieces;
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

/** Wraps between words and at break opportunities, and counts the spaces at the end of a row. */
function countRows(line: string): number {
  let rows = 1;
  let column = 0;
  for (const word of line.split(/(?<=[ \u200b])/u)) {
    const width = displayWidth(word);
    if (column > 0 && column + width > columnsMax) {
      rows += 1;
      column = 0;
    }
    column += width;
  }
  return rows;
}
