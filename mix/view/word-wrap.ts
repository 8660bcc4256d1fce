// SPDX-License-Identifier: MIT OR Apache-2.0
// Wraps streamed text. A word is held back until it is complete, so that the edge of the screen never cuts it.
import { characterWidth, displayWidth } from "../../display/width.ts";

export class WordWrap {
  readonly #columns: number;
  #column = 0;
  #gap = "";
  #word = "";

  /** Wraps at `columns`; 0 wraps nothing. */
  constructor(columns: number) {
    this.#columns = columns;
  }

  /** The column at which the returned text ends. */
  get column(): number {
    return this.#column;
  }

  /** Takes in text and returns what can be written now. */
  write(text: string): string {
    let out = "";
    for (const character of text) out += this.#character(character);
    return this.#columns === 0 ? out + this.flush() : out;
  }

  /** Returns the word held back. */
  flush(): string {
    if (this.#word === "") return "";
    const width = displayWidth(this.#word);
    const gap = displayWidth(this.#gap);
    const wraps = this.#columns > 0 && this.#column > 0 && this.#column + gap + width > this.#columns;
    const before = wraps ? "\n" : this.#gap;
    this.#column = wraps ? width : this.#column + gap + width;
    const out = before + this.#word;
    this.#gap = "";
    this.#word = "";
    return out;
  }

  #character(character: string): string {
    if (character === "\n") {
      const out = `${this.flush()}\n`;
      this.#column = 0;
      this.#gap = "";
      return out;
    }
    if (character === " " || character === "\t") {
      const out = this.flush();
      this.#gap += character === "\t" && this.#columns > 0 ? "    " : character;
      return out;
    }
    // Each wide character is a word of its own: those scripts put no spaces between words.
    const isWide = characterWidth(character) === 2;
    const before = isWide ? this.flush() : "";
    this.#word += character;
    const tooLong = this.#columns > 0 && this.#word.length >= this.#columns;
    return before + (isWide || tooLong ? this.flush() : "");
  }
}
