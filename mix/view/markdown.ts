// SPDX-License-Identifier: MIT OR Apache-2.0
// Draws Markdown that arrives in chunks on a terminal. What is certain is written at once and never drawn again. What the
// next chunk may still change, such as half a word or an open emphasis, is held back; `flush` shows it for now.
import { unfinishedColour, withoutColours } from "../../display/colour-sequences.ts";
import { joined, linesOf, movement, type Paint, plain, rich, type Style, type Text } from "../../display/styled.ts";
import { noPrefix, type Piece, type Prefix, WordWrap } from "../../display/word-wrap.ts";
import { type Marks, marks, parseInline } from "./inline.ts";
import {
  type Alignment,
  alignmentsOf,
  cellsOf,
  type Container,
  type Fence,
  type Line,
  lineOf,
  quotesIn,
} from "./markdown-lines.ts";
import { layoutOf, type TableLayout, tableRow, tableRule } from "./markdown-table.ts";

export interface MarkdownOptions {
  readonly style: Style;
  readonly columns: number;
  /** Before the first row and before the others. */
  readonly first?: Piece;
  readonly further?: string;
  /** The paint of ordinary text. */
  readonly paint?: Paint;
  /** Shows the text as it is written, and only wraps it. */
  readonly isLiteral?: boolean;
}

interface Table {
  readonly rows: string[][];
  readonly containers: readonly Container[];
  /** Undefined until the second row tells that this is a table. */
  alignments: readonly Alignment[] | undefined;
  /** The header as it was written. */
  readonly written: string;
}

export class MarkdownStream {
  readonly #options: MarkdownOptions;
  readonly #isMarked: boolean;
  #wrap: WordWrap;
  /** The end of the last chunk that belongs to the next one: half a character, colour sequence or line end. */
  #cut = "";
  /** The beginning of a line while it is undecided what line it is; undefined behind that. */
  #head: string | undefined = "";
  /** Text after an open mark of the present line. */
  #open = "";
  #before = "";
  #marks: Marks = 0;
  /** The paint of a line of code; undefined in other lines. */
  #codePaint: Paint | undefined;
  #containers: readonly Container[] = [];
  #fence: Fence | undefined;
  #table: Table | undefined;
  /** Of a table whose beginning is drawn already. */
  #layout: TableLayout | undefined;
  /** An empty line that is drawn only before something else: its quotes. */
  #blank: readonly Container[] | undefined;
  #isBegun = false;
  #isIndentedCode = false;
  /** The prefix of the rows that the present line is wrapped into. */
  #further = noPrefix;
  /** What `flush` has shown, and the next text replaces. */
  #shown: { readonly rows: number; readonly from: number; readonly column: number } | undefined;
  readonly #paints = new Map<Marks, Paint | undefined>();

  constructor(options: MarkdownOptions) {
    this.#options = options;
    this.#isMarked = options.isLiteral !== true;
    this.#wrap = new WordWrap(options.columns);
    if (!this.#isMarked) this.#beginLiteral();
  }

  /** The column of the screen at which the text ends. */
  get column(): number {
    return this.#shown?.column ?? this.#wrap.column;
  }

  write(chunk: string): Text {
    const erased = this.#erase();
    this.#take(this.#cut + chunk);
    return rich`${erased}${this.#wrap.take()}`;
  }

  /** Shows what is held back, but for a table, which waits for its last row. Later text replaces it. */
  flush(): Text {
    if (this.#shown !== undefined || this.#table !== undefined) return "";
    const copy = this.#clone();
    copy.#finishLine(true);
    const written = copy.#wrap.take();
    if (written === "") return "";
    const rows = linesOf(written).length - 1;
    this.#shown = { rows, from: this.#wrap.column, column: copy.#wrap.column };
    return written;
  }

  /** Writes everything and ends the row. What is written afterwards goes on in the next row. */
  end(): Text {
    const erased = this.#erase();
    const cut = this.#cut.replace(/\r$/, "");
    this.#cut = "";
    if (cut !== "") this.#segment(cut);
    this.#finishLine(false);
    this.#drawTable(true);
    const isLineBegun = this.#head === undefined;
    if (this.#wrap.column > 0) this.#wrap.lineFeed();
    if (!this.#isMarked) {
      this.#isBegun = true;
      this.#beginLiteral();
    } else if (isLineBegun) {
      this.#wrap.begin(this.#further, this.#further);
    }
    return rich`${erased}${this.#wrap.take()}`;
  }

  #take(text: string): void {
    // A CR before a line feed, the first half of a character and a colour sequence may go on in the next chunk.
    const length = unfinishedColour(text) || (/[\r\ud800-\udbff]$/.test(text) ? 1 : 0);
    this.#cut = length === 0 ? "" : text.slice(-length);
    const shown = withoutColours(length === 0 ? text : text.slice(0, -length)).replaceAll("\r\n", "\n");
    let from = 0;
    for (let end = shown.indexOf("\n"); end >= 0; end = shown.indexOf("\n", from)) {
      this.#segment(shown.slice(from, end));
      this.#endLine();
      from = end + 1;
    }
    if (from < shown.length) this.#segment(shown.slice(from));
  }

  /** A part of a line. */
  #segment(text: string): void {
    if (this.#head === undefined || !this.#isMarked) return this.#text(text);
    this.#head = (this.#head + text).replace(leadingTabs, (spaces) => spaces.replaceAll("\t", "    "));
    this.#decide(false);
  }

  #decide(isWhole: boolean): void {
    const head = this.#head ?? "";
    const isAfterBlank = !this.#isBegun || this.#blank !== undefined || this.#isIndentedCode;
    const line = lineOf(head, { containers: this.#containers, fence: this.#fence, isAfterBlank }, isWhole);
    if (line === undefined) return;
    this.#beginLine(line);
    if (line.rest !== "" && line.kind !== "table") this.#text(line.rest);
  }

  #endLine(): void {
    if (!this.#isMarked) {
      this.#isBegun = true;
      this.#wrap.lineFeed();
      return this.#beginLiteral();
    }
    if (this.#head !== undefined) this.#decide(true);
    this.#finishText(false);
    if (this.#head === undefined) this.#wrap.lineFeed();
    this.#head = "";
  }

  #beginLiteral(): void {
    const { further = "" } = this.#options;
    const next = this.#plainPrefix(further);
    this.#wrap.begin(this.#isBegun ? next : this.#firstPrefix(), next);
  }

  /** Takes note of a decided line, and draws what precedes its text. `#head` is undefined while its row is open. */
  #beginLine(line: Line): void {
    this.#head = "";
    this.#fence = line.kind === "code" || line.kind === "fence" ? line.fence : undefined;
    this.#isIndentedCode = line.kind === "code" && line.fence === undefined;
    if (line.kind === "table") return this.#addRow(line);
    this.#drawTable(false);
    this.#containers = line.containers;
    if (line.kind === "blank") {
      this.#blank = quotesIn(line.containers);
      return;
    }
    if (line.kind === "fence" || line.kind === "fence end") return;
    this.#open = "";
    this.#before = "";
    this.#openRow(line.containers, line.kept, line.kind === "code" ? "  " : "");
    this.#head = undefined;
    this.#codePaint = line.kind === "code" ? this.#paintOfCode(line) : undefined;
    this.#marks = line.kind === "heading" ? headingMarks(line.level ?? 1) : 0;
    if (line.kind === "heading" && this.#keepsMarks) this.#wrap.write(`${"#".repeat(line.level ?? 1)} `);
    if (line.kind === "rule") {
      const width = Math.min(ruleColumns, this.#room(line.containers));
      this.#wrap.write("─".repeat(width), this.#options.style.faint);
    }
    // The marks of an empty item and of an empty line of quoted code.
    if (line.rest === "" && line.containers.length > 0) this.#wrap.beginRow();
  }

  #openRow(containers: readonly Container[], kept: number, indent = ""): void {
    if (this.#blank !== undefined && this.#isBegun) {
      const quotes = commonQuotes(this.#blank, containers);
      const [, prefix] = this.#prefixes(quotes, quotes.length);
      this.#wrap.begin(prefix, prefix);
      if (quotes.length > 0) this.#wrap.beginRow();
      this.#wrap.lineFeed();
    }
    this.#blank = undefined;
    const [first, further] = this.#prefixes(containers, kept);
    this.#further = extended(further, indent === "" ? "" : `${indent}  `);
    this.#wrap.begin(extended(first, indent), this.#further);
    this.#isBegun = true;
  }

  #text(text: string): void {
    if (!this.#isMarked) return this.#wrap.write(text, this.#options.paint);
    if (this.#codePaint !== undefined) return this.#wrap.write(text, this.#codePaint);
    this.#inline(this.#open + text, false);
  }

  #inline(text: string, isWhole: boolean, closesAll = false): void {
    this.#open = parseInline(text, {
      before: this.#before,
      marks: this.#marks,
      isWhole,
      closesAll,
      keepsMarks: this.#keepsMarks,
      emit: (run, set) => this.#wrap.write(run, this.#paintOf(set)),
    });
    const taken = text.length - this.#open.length;
    if (taken > 0) this.#before = text[taken - 1]!;
  }

  #finishText(closesAll: boolean): void {
    if (this.#open !== "") this.#inline(this.#open, true, closesAll);
  }

  /** Writes what is held back of the present line. `isForNow`: the line may go on. */
  #finishLine(isForNow: boolean): void {
    if (this.#isMarked && this.#head !== undefined && this.#head !== "") {
      // A table is not shown before it is whole, and a fence never.
      if (isForNow && /^[\s>]*(?:\||`{3}|~{3})/.test(this.#head)) return;
      this.#decide(true);
    }
    this.#finishText(isForNow);
    this.#wrap.flush();
  }

  #addRow({ rest, containers }: Line): void {
    const table = this.#table;
    const isSame = table !== undefined && table.containers.length === containers.length;
    if (isSame && table.alignments === undefined) {
      table.alignments = alignmentsOf(rest);
      if (table.alignments !== undefined) return;
    } else if (isSame) {
      table.rows.push(cellsOf(rest));
      if (table.rows.length > heldRowsMax) this.#drawTable(true);
      return;
    }
    if (table !== undefined) this.#drawTable(false);
    this.#containers = containers;
    if (this.#layout === undefined) {
      this.#table = { rows: [cellsOf(rest)], containers, alignments: undefined, written: rest };
    } else this.#drawRows([cellsOf(rest)], this.#layout, containers);
  }

  /** Draws the table that is held back. `goesOn`: later rows get the same widths. */
  #drawTable(goesOn: boolean): void {
    const table = this.#table;
    this.#table = undefined;
    if (!goesOn) this.#layout = undefined;
    if (table === undefined) return;
    const { rows, containers, alignments, written } = table;
    if (alignments === undefined) {
      this.#openRow(containers, containers.length);
      this.#inline(written, true);
      return this.#wrap.lineFeed();
    }
    const columns = Math.max(...rows.map(({ length }) => length));
    const aligned = Array.from({ length: columns }, (_, column) => alignments[column] ?? "left");
    const layout = layoutOf(rows, aligned, this.#room(containers), this.#writeCell);
    if (layout === undefined) return this.#drawRecords(rows, containers);
    const [header = [], ...others] = rows;
    for (const line of tableRow(header, layout, true, this.#options.style, this.#writeCell)) {
      this.#drawLine(line, containers);
    }
    this.#drawLine(tableRule(layout, this.#options.style), containers);
    this.#drawRows(others, layout, containers);
    if (goesOn) this.#layout = layout;
  }

  #drawRows(rows: readonly string[][], layout: TableLayout, containers: readonly Container[]): void {
    for (const row of rows) {
      for (const line of tableRow(row, layout, false, this.#options.style, this.#writeCell)) {
        this.#drawLine(line, containers);
      }
    }
  }

  /** A table with more columns than the screen can hold: each cell in a line of its own, below its header. */
  #drawRecords([header = [], ...rows]: readonly string[][], containers: readonly Container[]): void {
    for (const [index, row] of rows.entries()) {
      if (index > 0) this.#drawLine("", containers);
      for (const [column, cell] of row.entries()) {
        this.#openRow(containers, containers.length);
        this.#writeCell(this.#wrap, `${header[column] ?? ""}: ${cell}`, false);
        this.#wrap.lineFeed();
      }
    }
  }

  #drawLine(line: Text, containers: readonly Container[]): void {
    this.#openRow(containers, containers.length);
    this.#wrap.whole(line);
    this.#wrap.lineFeed();
  }

  readonly #writeCell = (wrap: WordWrap, cell: string, isHeader: boolean): void => {
    parseInline(cell, {
      before: "",
      marks: isHeader ? marks.strong : 0,
      isWhole: true,
      keepsMarks: this.#keepsMarks && !isHeader,
      emit: (run, set) => wrap.write(run, this.#paintOf(set)),
    });
  };

  get #keepsMarks(): boolean {
    return this.#options.style === plain;
  }

  #paintOfCode({ rest, fence }: Line): Paint {
    const { style } = this.#options;
    if (fence?.language !== "diff" && fence?.language !== "patch") return style.code;
    return rest.startsWith("+") ? style.added : rest.startsWith("-") ? style.removed : style.code;
  }

  #paintOf(set: Marks): Paint | undefined {
    if (set === 0) return this.#options.paint;
    if (!this.#paints.has(set)) this.#paints.set(set, this.#makePaint(set));
    return this.#paints.get(set);
  }

  #makePaint(set: Marks): Paint {
    const { style, paint = (text: Text) => text } = this.#options;
    const roles = (["strong", "emphasis", "struck", "heading", "link", "code"] as const).filter(
      (role) => (set & marks[role]) !== 0,
    );
    const inner = (set & marks.note) !== 0 ? style.faint : paint;
    return (text) => joined([roles.reduce((painted, role) => style[role](painted), inner(text))]);
  }

  #prefixes(containers: readonly Container[], kept: number): readonly [Prefix, Prefix] {
    const { further = "", style, columns } = this.#options;
    const [first, next]: [Piece[], Piece[]] = [[], []];
    let width = 0;
    for (const [index, container] of containers.entries()) {
      const drawn = container.kind === "quote" ? quoteMark : container.drawn;
      // Deep nesting leaves half of the screen to the text.
      if (further.length + width + drawn.length > columns >> 1) break;
      width += drawn.length;
      if (container.kind === "quote") {
        first.push({ text: drawn, paint: style.faint });
        next.push({ text: drawn, paint: style.faint });
      } else {
        first.push({ text: index < kept ? " ".repeat(drawn.length) : drawn, paint: this.#options.paint });
        next.push({ text: " ".repeat(drawn.length), paint: undefined });
      }
    }
    const start = this.#isBegun ? this.#plainPrefix(further) : this.#firstPrefix();
    return [
      { pieces: [...start.pieces, ...first], width: start.width + width },
      { pieces: [...this.#plainPrefix(further).pieces, ...next], width: further.length + width },
    ];
  }

  #firstPrefix(): Prefix {
    const { first } = this.#options;
    return first === undefined ? noPrefix : { pieces: [first], width: first.text.length };
  }

  #plainPrefix(text: string): Prefix {
    return text === "" ? noPrefix : { pieces: [{ text, paint: undefined }], width: text.length };
  }

  #room(containers: readonly Container[]): number {
    return Math.max(roomMin, this.#options.columns - this.#prefixes(containers, containers.length)[1].width);
  }

  /** Takes back what `flush` has shown. */
  #erase(): Text {
    const shown = this.#shown;
    this.#shown = undefined;
    if (shown === undefined) return "";
    return rich`${movement.up(shown.rows)}${movement.toColumn(shown.from + 1)}${movement.clearBelow}`;
  }

  #clone(): MarkdownStream {
    const copy = new MarkdownStream(this.#options);
    copy.#wrap = this.#wrap.clone();
    copy.#head = this.#head;
    copy.#open = this.#open;
    copy.#before = this.#before;
    copy.#marks = this.#marks;
    copy.#codePaint = this.#codePaint;
    copy.#containers = this.#containers;
    copy.#fence = this.#fence;
    copy.#blank = this.#blank;
    copy.#isBegun = this.#isBegun;
    copy.#isIndentedCode = this.#isIndentedCode;
    return copy;
  }
}

function headingMarks(level: number): Marks {
  return level <= 2 ? marks.heading : marks.strong;
}

function extended(prefix: Prefix, indent: string): Prefix {
  if (indent === "") return prefix;
  return { pieces: [...prefix.pieces, { text: indent, paint: undefined }], width: prefix.width + indent.length };
}

/** The quotes in which both stand. */
function commonQuotes(one: readonly Container[], other: readonly Container[]): readonly Container[] {
  let length = 0;
  while (length < one.length && one[length]?.kind === other[length]?.kind) length += 1;
  return quotesIn(one.slice(0, length));
}

const leadingTabs = /^[\s>*+\-.)\d]*\t/;
const quoteMark = "│ ";
const ruleColumns = 40;
const roomMin = 8;
/** A longer table is drawn before its end is known. */
const heldRowsMax = 100;
