// SPDX-License-Identifier: MIT OR Apache-2.0
// What others wrote, made safe for a notification: nothing in it may hide, turn or imitate.

/** Control, format and unassigned characters become visible; line feeds stay, if asked for. Cut at `max` characters. */
export function visible(text: string, max: number, lines = false): string {
  const shown = text.replace(dangerous, (character) => (lines && character === "\n" ? character : escaped(character)));
  const characters = Array.from(shown);
  return characters.length <= max ? shown : `${characters.slice(0, max - 1).join("")}…`;
}

/** A notification's body is markup. */
export function asMarkup(text: string): string {
  return text.replace(/[&<>]/gu, (character) => entities[character] ?? character);
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

// The joiners U+200C and U+200D stay: scripts and emoji are written with them.
const dangerous = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu;

function escaped(character: string): string {
  if (character === "\n") return " ⏎ ";
  if (character === "\t") return " ";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
