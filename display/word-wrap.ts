// SPDX-License-Identifier: MIT OR Apache-2.0
// Wraps text that comes in pieces, each with a paint of its own. A word is held back until it is complete, so that the edge
// of the screen never cuts it.
import { printable } from "./printable.ts";
import { joined, type Paint, type Text, widthOf } from "./styled.ts";
import { characterWidth, displayWidth, startOf } from "./width.ts";

export interface Piece {
  readonly text: string;
  readonly paint: Paint | undefined;
}

/** What stands before the text of a row. */
export interface Prefix {
  readonly pieces: readonly Piece[];
  readonly width: number;
}

export const noPrefix: Prefix = { pieces: [], width: 0 };

export class WordWrap {
  readonly #columns: number;
  #out: Piece[] = [];
  #column = 0;
  /** The prefix of the next row, until its first word is written. */
  #first: Prefix = noPrefix;
  #further: Prefix = noPrefix;
  #isRowBegun = false;
  /** Whether a word stands in the row, so that another may begin the next row. */
  #hasText = false;
  #gap = "";
  #gapPaint: Paint | undefined;
  #word: Piece[] = [];
  #wordWidth = 0;
  /** The word is wider than a row: it is written as it comes, and cut at the edge. */
  #isLong = false;

  /** Infinity wraps nothing. */
  constructor(columns: number) {
    this.#columns = columns;
  }

  /** The column at which the written text ends. */
  get column(): number {
    return this.#column;
  }

  /** Sets the prefixes of the row that begins now and of the rows that its text is wrapped into. */
  begin(first: Prefix, further: Prefix): void {
    [this.#first, this.#further] = [first, further];
  }

  /** Takes in text without line feeds. */
  write(text: string, paint?: Paint): void {
    for (let at = this.#writeWords(text, paint); at < text.length;) {
      const isGap = isSpace(text.charCodeAt(at));
      let end = at + 1;
      while (end < text.length && isSpace(text.charCodeAt(end)) === isGap) end += 1;
      const token = at === 0 && end === text.length ? text : text.slice(at, end);
      if (isGap) this.#addGap(token, paint);
      else this.#addToWord(token, paint);
      at = end;
    }
  }

  /** Ends the row; the next one begins with the prefix of the next `begin`. */
  lineFeed(): void {
    this.flush();
    this.#gap = "";
    this.#newRow(noPrefix);
  }

  /** Writes the row's prefix even if no text follows. */
  beginRow(): void {
    if (this.#isRowBegun) return;
    for (const { text, paint } of this.#first.pieces) this.#emit(text, paint);
    this.#column = this.#first.width;
    this.#isRowBegun = true;
  }

  /** Writes text that is laid out already into the row. */
  whole(text: Text): void {
    this.beginRow();
    this.#out.push({ text: "", paint: () => joined([text]) });
    this.#column += widthOf(text);
  }

  /** Writes the word that is held back. */
  flush(): void {
    this.#endWord();
    this.#isLong = false;
  }

  /** Returns what was written since the last call. */
  take(): Text {
    const pieces = this.#out;
    this.#out = [];
    const [only] = pieces;
    if (only === undefined) return "";
    if (pieces.length === 1 && only.paint === undefined) return only.text;
    return joined(pieces.map(({ text, paint }) => (paint === undefined ? text : paint(text))));
  }

  /** The same without its paints. */
  takeText(): string {
    const pieces = this.#out;
    this.#out = [];
    return pieces.map(({ text }) => text).join("");
  }

  clone(): WordWrap {
    const copy = new WordWrap(this.#columns);
    copy.#out = this.#out.slice();
    copy.#column = this.#column;
    copy.#first = this.#first;
    copy.#further = this.#further;
    copy.#isRowBegun = this.#isRowBegun;
    copy.#hasText = this.#hasText;
    copy.#gap = this.#gap;
    copy.#gapPaint = this.#gapPaint;
    copy.#word = this.#word.slice();
    copy.#wordWidth = this.#wordWidth;
    copy.#isLong = this.#isLong;
    return copy;
  }

  /** Writes as many whole words of plain text as there are, which is most of all text. Returns where the rest begins. */
  #writeWords(text: string, paint: Paint | undefined): number {
    if (this.#word.length > 0 || this.#isLong || !words.test(text)) return 0;
    const room = this.#columns - this.#further.width;
    let from = 0;
    let end = 0;
    while (end < text.length) {
      let start = end;
      while (text.charCodeAt(start) === 32) start += 1;
      const next = text.indexOf(" ", start);
      // The last word may go on.
      if (next < 0 || next - start > room) break;
      const width = this.#gap.length + next - end;
      const column = this.#isRowBegun ? this.#column : this.#first.width;
      if (column + width <= this.#columns) {
        this.beginRow();
        if (this.#gap !== "") this.#emit(this.#gap, this.#gapPaint === paint ? paint : undefined);
        this.#gap = "";
        this.#column += width;
      } else if (this.#hasText) {
        if (end > from) this.#emit(text.slice(from, end), paint);
        this.#newRow(this.#further);
        from = start;
        this.beginRow();
        this.#column += next - start;
      } else break;
      this.#hasText = true;
      end = next;
    }
    if (end > from) this.#emit(text.slice(from, end), paint);
    return end;
  }

  #addGap(spaces: string, paint: Paint | undefined): void {
    this.flush();
    this.#gap += Number.isFinite(this.#columns) ? spaces.replaceAll("\t", tab) : spaces;
    this.#gapPaint = paint;
  }

  #addToWord(token: string, paint: Paint | undefined): void {
    if (ascii.test(token)) {
      // A wide character before it is a word of its own.
      if (this.#endsWide()) this.#endWord();
      this.#append(token, token.length, paint);
      return;
    }
    for (const character of token) {
      const width = characterWidth(character);
      const isWide = width === 2;
      // Scripts of wide characters put no spaces between words.
      if ((isWide || this.#endsWide()) && !staysWithFormer.test(character) && !this.#endsJoining()) this.#endWord();
      this.#append(character, width, paint);
    }
  }

  #append(text: string, width: number, paint: Paint | undefined): void {
    const last = this.#word.at(-1);
    if (last === undefined || last.paint !== paint) this.#word.push({ text, paint });
    else this.#word[this.#word.length - 1] = { text: last.text + text, paint };
    this.#wordWidth += width;
    if (this.#isLong || this.#wordWidth > this.#columns - this.#further.width) this.#writeLong();
  }

  #endsWide(): boolean {
    const last = this.#word.at(-1)?.text ?? "";
    const code = last.charCodeAt(last.length - 1);
    return code >= firstWide && wideEnd.test(last);
  }

  #endsJoining(): boolean {
    return this.#word.at(-1)?.text.endsWith("\u200d") === true;
  }

  #endWord(): void {
    if (this.#word.length === 0) return;
    const word = this.#takeWord();
    let width = 0;
    for (const { text } of word) width += displayWidth(text);
    if (this.#isLong || width > this.#columns - this.#further.width) {
      // Escapes have made it longer than it seemed.
      if (!this.#isLong && this.#hasText) this.#newRow(this.#further);
      return this.#cutAtEdge(word);
    }
    const start = this.#isRowBegun ? this.#column : this.#first.width;
    const gapMax = Math.max(0, this.#columns - start - width);
    if (this.#gap.length > gapMax || start + width > this.#columns) {
      if (this.#hasText) this.#newRow(this.#further);
      else this.#gap = this.#gap.slice(0, gapMax);
    }
    this.#writeGap(word);
    for (const { text, paint } of word) this.#emit(text, paint);
    this.#column += width;
    this.#hasText = true;
  }

  #writeLong(): void {
    if (!this.#isLong && this.#hasText) this.#newRow(this.#further);
    this.#isLong = true;
    const last = this.#word.at(-1);
    if (last === undefined || !ascii.test(last.text)) return;
    // The last character may be joined to what follows.
    const rest = { text: last.text.slice(-1), paint: last.paint };
    this.#word[this.#word.length - 1] = { text: last.text.slice(0, -1), paint: last.paint };
    this.#cutAtEdge(this.#takeWord());
    this.#word = [rest];
    this.#wordWidth = 1;
  }

  #cutAtEdge(word: readonly Piece[]): void {
    this.#writeGap(word);
    for (const { text, paint } of word) {
      let row = "";
      const isPlain = ascii.test(text);
      for (let rest = text; rest !== ""; rest = rest.slice(row.length)) {
        const room = this.#columns - this.#column;
        row = isPlain ? rest.slice(0, Math.max(0, room)) : startOf(rest, room);
        if (row === "" && this.#hasText) {
          this.#newRow(this.#further);
          this.beginRow();
          continue;
        }
        // On a row without room a character is written all the same.
        if (row === "") row = String.fromCodePoint(rest.codePointAt(0) ?? 0);
        // A joiner without the letter that it joins would be made visible.
        const shown = row.length < rest.length ? row.replace(/[\u200c\u200d]$/, "") : row;
        this.#emit(shown, paint);
        this.#column += displayWidth(shown);
        this.#hasText = true;
      }
    }
  }

  #writeGap(word: readonly Piece[]): void {
    this.beginRow();
    if (this.#gap === "") return;
    this.#emit(this.#gap, this.#gapPaint === word[0]?.paint ? this.#gapPaint : undefined);
    this.#column += this.#gap.length;
    this.#gap = "";
  }

  #takeWord(): readonly Piece[] {
    const word = this.#word;
    this.#word = [];
    this.#wordWidth = 0;
    return word.map(({ text, paint }) => (ascii.test(text) ? { text, paint } : { text: printable(text), paint }));
  }

  #newRow(prefix: Prefix): void {
    this.#emit("\n", undefined);
    this.#column = 0;
    this.#first = prefix;
    this.#isRowBegun = false;
    this.#hasText = false;
    this.#gap = "";
  }

  #emit(text: string, paint: Paint | undefined): void {
    const last = this.#out.at(-1);
    if (last === undefined || last.paint !== paint) this.#out.push({ text, paint });
    else this.#out[this.#out.length - 1] = { text: last.text + text, paint };
  }
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9;
}

const words = /^[\u0020-\u007e]*$/;
const tab = "    ";
const ascii = /^[\u0021-\u007e]*$/;
const firstWide = 0x1100;
const wideEnd =
  /(?:[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}])$/u;
/** Marks, joiners and skin tones belong to the character before them, and closing punctuation does not begin a row. */
const staysWithFormer = /^[\p{M}\p{Cf}\p{Emoji_Modifier}、。，．！？；：）」』】》〉]$/u;
