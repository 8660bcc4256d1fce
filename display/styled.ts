// SPDX-License-Identifier: MIT OR Apache-2.0
// Text with colours or cursor movements. Only this module makes control sequences: a plain string is made printable
// first, so no string can carry a sequence to a terminal, whoever wrote it.
import { printable } from "./printable.ts";
import { displayWidth } from "./width.ts";

export type Text = string | Styled;

let sequence: (written: string) => Styled;
let render: (styled: Styled) => string;

export class Styled {
  readonly #written: string;

  private constructor(written: string) {
    this.#written = written;
  }

  static {
    sequence = (written) => new Styled(written);
    render = (one) => one.#written;
  }
}

/** Returns the characters for the terminal. Plain strings are made printable. */
export function rendered(text: Text): string {
  return typeof text === "string" ? printable(text) : render(text);
}

/** Whether both are the same characters for the terminal. */
export function isSameText(one: Text, other: Text): boolean {
  return rendered(one) === rendered(other);
}

/** Template tag whose values may be styled. Plain strings are made printable. */
export function rich(strings: TemplateStringsArray, ...values: readonly Text[]): Styled {
  return joined(strings.flatMap((string, index) => [string, values[index] ?? ""]));
}

export function joined(texts: readonly Text[], separator = ""): Styled {
  return sequence(texts.map(rendered).join(separator));
}

/**
 * The one palette, by what a text is. Colours are chosen to be read on dark and on light backgrounds; see
 * docs/decisions/2026-12-01-colours.md.
 */
export type Style = Readonly<Record<keyof typeof palette, Paint>>;

/** The SGR codes that begin and end each role. */
const palette = {
  strong: ["1", "22"],
  emphasis: ["3", "23"],
  struck: ["9", "29"],
  heading: ["1;4", "22;24"],
  link: ["4", "24"],
  /** Names of tools and code within a text. */
  code: ["36", "39"],
  /** Side notes: nothing that has to be read. */
  faint: ["2", "22"],
  good: ["32", "39"],
  added: ["32", "39"],
  removed: ["91", "39"],
  error: ["91", "39"],
  warn: ["95", "39"],
  question: ["1;95", "22;39"],
} as const;

export type Paint = (text: Text) => Styled;

const paint = ([open, close]: readonly [string, string]): Paint => {
  return (text) => sequence(`\u001b[${open}m${rendered(text)}\u001b[${close}m`);
};
const unstyled: Paint = (text) => sequence(rendered(text));

function styleOf(toPaint: (codes: readonly [string, string]) => Paint): Style {
  return Object.fromEntries(Object.entries(palette).map(([role, codes]) => [role, toPaint(codes)])) as Style;
}

export const colours: Style = styleOf(paint);
export const plain: Style = styleOf(() => unstyled);

/**
 * Wraps whole lines between words. Further rows of a line are indented as the line is, and by `hang` columns more. With 0
 * columns nothing is wrapped.
 */
export function wrapped(text: Text, columns: number, hang = 0): Styled {
  return sequence(wrappedText(rendered(text), columns, hang));
}

/** The same for text without colours. */
export function wrappedText(text: string, columns: number, hang = 0): string {
  if (columns === 0) return text;
  return text
    .split("\n")
    .map((line) => wrappedLine(line, columns, hang))
    .join("\n");
}

/** The lines of a text whose colours end with each line. */
export function linesOf(text: Text): Styled[] {
  return rendered(text).split("\n").map(sequence);
}

/** The columns that the text takes. */
export function widthOf(text: Text): number {
  return visibleWidth(rendered(text));
}

function wrappedLine(line: string, columns: number, hang: number): string {
  if (visibleWidth(line) <= columns) return line;
  const own = /^ */.exec(line.replaceAll(paints, ""))?.[0].length ?? 0;
  const indent = Math.min(own, columns >> 1) + hang;
  let [out, column] = ["", 0];
  for (const [match, gap = "", word = ""] of line.matchAll(/( *)([^ ]*)/g)) {
    if (match === "") continue;
    const width = visibleWidth(word);
    const isWrapped = column > indent && column + gap.length + width > columns;
    out += isWrapped ? `\n${" ".repeat(indent)}${word}` : gap + word;
    const end = (isWrapped ? indent : column + gap.length) + width;
    // The terminal breaks a word that is longer than a row, so that it can be copied whole.
    column = end > columns ? ((end - 1) % columns) + 1 : end;
  }
  return out;
}

function visibleWidth(text: string): number {
  return displayWidth(text.replaceAll(paints, ""));
}

// eslint-disable-next-line no-control-regex
const paints = /\u001b\[[\d;]*m/g;

/** Movements within the last rows of a terminal, and its mode for pastes. */
export const movement = {
  rowStart: sequence("\r"),
  clearToRowEnd: sequence("\u001b[K"),
  /** Clears from the cursor to the end of the screen. */
  clearBelow: sequence("\u001b[J"),
  up: (rows: number): Styled => sequence(rows > 0 ? `\u001b[${rows > 1 ? Math.trunc(rows) : ""}A` : ""),
  /** Columns count from 1. */
  toColumn: (column: number): Styled => sequence(`\u001b[${Math.trunc(column)}G`),
  /** Bracketed paste mode: the terminal marks where a paste begins and ends. */
  markPastes: sequence("\u001b[?2004h"),
  leavePastesUnmarked: sequence("\u001b[?2004l"),
} as const;
