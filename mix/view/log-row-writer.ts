// SPDX-License-Identifier: MIT OR Apache-2.0
// Lays out the rows of the log: number, local time and kind, and the text beside them, wrapped and indented.
import { joined, rich, type Style, type Text } from "../../display/styled.ts";
import { WordWrap } from "../../display/word-wrap.ts";
import { localTime } from "./local-time.ts";
import type { Screen } from "./tool-calls.ts";

export class RowWriter {
  readonly #screen: Screen;
  readonly #seqColumns: number;
  #day: string | undefined;
  #row: { readonly wrap: WordWrap; readonly indent: string } | undefined;
  #tone: keyof Style | undefined;
  /** Line ends that are written once text follows them. */
  #breaks = 0;
  #isEmpty = true;

  constructor({ seqColumns, ...screen }: Screen & { readonly seqColumns: number }) {
    this.#screen = screen;
    this.#seqColumns = seqColumns;
  }

  /**
   * Begins a row. On a terminal the day has a line of its own; elsewhere it is in each row, for whoever picks some of them.
   */
  begin({ seq, at }: { seq: number; at: string }, name: string, label: keyof Style | undefined): Text {
    const { style, columns } = this.#screen;
    const { day, date, time } = localTime(at);
    const isNewDay = columns > 0 && day !== this.#day;
    this.#day = day;
    const place = `${String(seq).padStart(this.#seqColumns)}  ${columns > 0 ? "" : `${date} `}${time}`;
    const kind = name.padEnd(kindColumns);
    const indent = " ".repeat(place.length + kindColumns + 4);
    const room = columns === 0 ? Number.POSITIVE_INFINITY : Math.max(textColumnsMin, columns - indent.length);
    this.#row = { wrap: new WordWrap(room), indent };
    this.#breaks = 0;
    this.#isEmpty = true;
    const painted = label === undefined ? kind : style[label](kind);
    return rich`${isNewDay ? rich`${style.strong(day)}\n` : ""}${style.faint(place)}  ${painted}  `;
  }

  text(text: string, tone: keyof Style | undefined): Text {
    this.#tone = tone;
    const wrap = this.#row?.wrap;
    if (wrap === undefined) return "";
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0) wrap.lineFeed();
      wrap.write(line);
    }
    // Where nothing is wrapped, nothing is held back.
    if (this.#screen.columns === 0) wrap.flush();
    return this.#indented(wrap.takeText());
  }

  /** Returns the word that is held back for wrapping. */
  flush(): Text {
    const wrap = this.#row?.wrap;
    wrap?.flush();
    return wrap === undefined ? "" : this.#indented(wrap.takeText());
  }

  end(): Text {
    if (this.#row === undefined) return "";
    const rest = this.flush();
    const empty = this.#isEmpty ? "(empty)" : "";
    this.#row = undefined;
    return joined([rest, `${empty}\n`]);
  }

  #indented(text: string): Text {
    let written = "";
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0) this.#breaks += 1;
      if (line === "") continue;
      const breaks = this.#isEmpty ? 0 : this.#breaks;
      written += breaks > 0 ? `${"\n".repeat(breaks)}${this.#row?.indent ?? ""}${line}` : line;
      this.#breaks = 0;
      this.#isEmpty = false;
    }
    return this.#tone === undefined || written === "" ? written : this.#screen.style[this.#tone](written);
  }
}

const kindColumns = "elicitation".length;
/** On a screen too narrow for it, rows are longer than the screen. */
const textColumnsMin = 20;
