// SPDX-License-Identifier: MIT OR Apache-2.0
// How much room a text takes in a notification, by a bound that the usual services keep: GNOME Shell and xfce4-notifyd
// show six rows and then cut without a word, dunst takes the middle out of what is too high.
import { characterWidth, displayWidth } from "../../display/width.ts";

export const rowsMax = 6;
/** What a row takes, also in capital letters of a proportional font. */
export const columnsMax = 34;
/** Accents on one letter. More of them are drawn over the rows above and below. */
const marksMax = 3;

/** Whether all of the text is seen. It must be printable. */
export function fits(text: string): boolean {
  const lines = text.split("\n");
  const isDrawnApart = !overdrawn.test(text);
  // A word that is wider than a row may be broken, or run out of sight.
  const areBroken = lines.every((line) => line.split(" ").every((word) => displayWidth(word) <= columnsMax));
  return isDrawnApart && areBroken && lines.reduce((rows, line) => rows + rowsOf(line), 0) <= rowsMax;
}

/** The beginning, in so many rows, and an ellipsis where something is left out. */
export function beginning(text: string, rows: number): string {
  const shown = text.replaceAll(new RegExp(overdrawn, "gu"), (marks) => `${marks.slice(0, marksMax)}…`);
  let kept = "";
  let left = rows * columnsMax - 1;
  for (const character of shown) {
    left -= character === "\n" ? columnsMax : characterWidth(character);
    if (left < 0) return `${kept.trimEnd()}…`;
    kept += character;
  }
  return kept;
}

const overdrawn = new RegExp(`\\p{M}{${marksMax + 1},}`, "u");

/** Words stay whole; spaces take room, also at the end of a row. */
function rowsOf(line: string): number {
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
