// SPDX-License-Identifier: MIT OR Apache-2.0
// Counts the terminal columns of a text: combining marks take none, wide characters two. An approximation for wrapping.

export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

export function characterWidth(character: string): number {
  if (character < "\u0300") return 1;
  if (noWidth.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** Cuts the text to `columns` columns, ending in an ellipsis if anything was cut. */
export function truncateToWidth(text: string, columns: number): string {
  return displayWidth(text) <= columns ? text : `${startOf(text, columns - 1)}…`;
}

/** Cuts the beginning, where the end says more. */
export function truncateStart(text: string, columns: number): string {
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

/** Returns as many characters as fit. */
export function startOf(text: string, columns: number): string {
  let [width, length] = [0, 0];
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns) break;
    length += character.length;
  }
  return text.slice(0, length);
}

const ascii = /^[\u0020-\u007e]*$/;
const noWidth = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;
