// SPDX-License-Identifier: MIT OR Apache-2.0
// Text of a message where stdout is not a terminal: as it was written, further lines indented.
import { unfinishedColour, withoutColours } from "../../display/colour-sequences.ts";
import { type Paint, rich, type Text } from "../../display/styled.ts";

export class PlainStream {
  readonly column = 0;
  readonly #indent: string;
  readonly #paint: Paint;
  #begin: Text;
  #cut = "";
  /** The last two characters that were written. The mark of a message counts as two. */
  #tail = "\n";

  constructor(begin: Text, indent: string, paint: Paint) {
    this.#begin = begin;
    this.#indent = indent;
    this.#paint = paint;
  }

  get endsWithEmptyLine(): boolean {
    return this.#tail === "\n\n";
  }

  write(chunk: string): Text {
    const text = this.#cut + chunk;
    const length = unfinishedColour(text);
    this.#cut = length === 0 ? "" : text.slice(-length);
    return this.#written(length === 0 ? text : text.slice(0, -length));
  }

  flush(): Text {
    return "";
  }

  end(): Text {
    const cut = this.#cut;
    this.#cut = "";
    const rest = this.#written(cut);
    if (this.#tail.endsWith("\n")) return rest;
    this.#tail = `${this.#tail}\n`.slice(-2);
    return rich`${rest}\n`;
  }

  #written(text: string): Text {
    const shown = withoutColours(text);
    const begin = this.#begin;
    const isNewLine = begin === "" && this.#tail.endsWith("\n");
    this.#begin = "";
    this.#tail = (this.#tail + (begin === "" ? "" : "> ") + shown).slice(-2);
    if (shown === "") return begin;
    if (this.#indent === "") return rich`${begin}${this.#paint(shown)}`;
    const indented = shown.replaceAll(/\n(?=[^\n])/g, `\n${this.#indent}`);
    return rich`${begin}${isNewLine && !shown.startsWith("\n") ? this.#indent : ""}${this.#paint(indented)}`;
  }
}
