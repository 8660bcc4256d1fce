// SPDX-License-Identifier: MIT OR Apache-2.0
// A text that is being written, and where its cursor goes. Pure: every operation returns another draft.
import { characterWidth, displayWidth } from "../../display/width.ts";

export interface Draft {
  readonly text: string;
  /** In UTF-16 units, never within a character. */
  readonly cursor: number;
  /** The column that Up and Down try to keep, in lines that are long enough. */
  readonly column?: number;
}

export const emptyDraft: Draft = { text: "", cursor: 0 };

/** The cursor is at the end. */
export function draftOf(text: string): Draft {
  return { text, cursor: text.length };
}

export function insert({ text, cursor }: Draft, added: string): Draft {
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length };
}

/** Removes the text between the cursor and a position on either side of it. */
export function removeTo({ text, cursor }: Draft, position: number): Draft {
  const [from, to] = position < cursor ? [position, cursor] : [cursor, position];
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

export function moveTo({ text }: Draft, cursor: number): Draft {
  return { text, cursor };
}

/** The position before the character left of the cursor: a letter with its combining marks, or a whole emoji. */
export function previousCharacter({ text, cursor }: Draft): number {
  const before = text.slice(Math.max(0, cursor - characterUnitsMax), cursor);
  let last = 0;
  for (const { index } of segmenter().segment(before)) last = index;
  return before === "" ? 0 : cursor - before.length + last;
}

export function nextCharacter({ text, cursor }: Draft): number {
  const [first] = segmenter().segment(text.slice(cursor, cursor + characterUnitsMax));
  return cursor + (first?.segment.length ?? 0);
}

/** Splits a text as its readers do: a letter with its combining marks is one character. */
export function charactersOf(text: string): string[] {
  return Array.from(segmenter().segment(text), ({ segment }) => segment);
}

/** The start of the word at or before the cursor. What `isPart` does not accept separates words. */
export function previousWord({ text, cursor }: Draft, isPart = isLetter): number {
  let at = cursor;
  while (at > 0 && !isPart(characterBefore(text, at))) at -= characterBefore(text, at).length;
  while (at > 0 && isPart(characterBefore(text, at))) at -= characterBefore(text, at).length;
  return at;
}

export function nextWord({ text, cursor }: Draft): number {
  let at = cursor;
  while (at < text.length && !isLetter(characterAt(text, at))) at += characterAt(text, at).length;
  while (at < text.length && isLetter(characterAt(text, at))) at += characterAt(text, at).length;
  return at;
}

export function lineStart({ text, cursor }: Draft): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

export function lineEnd({ text, cursor }: Draft): number {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
}

/** Moves the cursor to the line above. Undefined in the first line. */
export function moveUp(draft: Draft): Draft | undefined {
  const start = lineStart(draft);
  return start === 0 ? undefined : moveToLine(draft, lineStart({ ...draft, cursor: start - 1 }));
}

/** Moves the cursor to the line below. Undefined in the last line. */
export function moveDown(draft: Draft): Draft | undefined {
  const end = lineEnd(draft);
  return end === draft.text.length ? undefined : moveToLine(draft, end + 1);
}

function moveToLine(draft: Draft, start: number): Draft {
  const { text, cursor } = draft;
  const column = draft.column ?? displayWidth(text.slice(lineStart(draft), cursor));
  const end = lineEnd({ text, cursor: start });
  let at = start;
  for (let width = 0; at < end; at += characterAt(text, at).length) {
    width += characterWidth(characterAt(text, at));
    if (width > column) break;
  }
  return { text, cursor: at, column };
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

function characterBefore(text: string, at: number): string {
  return at > 1 && /[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at - 2, at))
    ? text.slice(at - 2, at)
    : text[at - 1]!;
}

function isLetter(character: string): boolean {
  return /[\p{L}\p{M}\p{N}_]/u.test(character);
}

export function isVisible(character: string): boolean {
  return !/\s/u.test(character);
}

/** No character that people write is longer. */
const characterUnitsMax = 64;
let characters: Intl.Segmenter | undefined;

function segmenter(): Intl.Segmenter {
  characters ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return characters;
}
