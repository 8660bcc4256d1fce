// SPDX-License-Identifier: MIT OR Apache-2.0
// The part of a typed line that fits into one row: the text around the cursor, with an ellipsis where it is cut.
import { characterWidth, displayWidth, truncateToWidth } from "../../display/width.ts";
import { printableLine } from "../../display/printable.ts";

/** Returns the visible part and the cursor's column within it. */
export function lineWindow(
  line: string,
  cursor: number,
  columns: number,
): { readonly shown: string; readonly at: number } {
  const before = tail(printableLine(line.slice(0, cursor)), columns);
  const at = displayWidth(before);
  return { shown: before + (at < columns ? truncateToWidth(printableLine(line.slice(cursor)), columns - at) : ""), at };
}

function tail(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = "";
  let width = 1;
  for (const character of Array.from(text).toReversed()) {
    width += characterWidth(character);
    if (width > columns) break;
    kept = character + kept;
  }
  return `…${kept}`;
}
