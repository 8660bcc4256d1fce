// SPDX-License-Identifier: MIT OR Apache-2.0
// Wraps text that comes in pieces: a word is held back until it is whole, so that it is never cut by the screen's edge.
import { characterWidth, displayWidth } from "../../display/width.ts";

export class WordWrap {
  readonly #columns: number;
  #column = 0;
  #gap = "";
  #word = "";

  /** `columns` 0: nothing is wrapped. */
  constructor(columns: number) {
    this.#columns = columns;
  }

  /** Where what was written ends. */
  get column(): number {
    return this.#column;
  }

  /** What can be written now. */
  write(text: string): string {
    let out = "";
    for (const character of text) out += this.#character(character);
    return this.#columns === 0 ? out + this.flush() : out;
  }

  /** The word that was held back. */
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
    // Wide characters stand for words of their own: their scripts put no spaces between words.
    const isWide = characterWidth(character) === 2;
    const before = isWide ? this.flush() : "";
    this.#word += character;
    const tooLong = this.#columns > 0 && this.#word.length >= this.#columns;
    return before + (isWide || tooLong ? this.flush() : "");
  }
}
