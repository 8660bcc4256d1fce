// SPDX-License-Identifier: MIT OR Apache-2.0
// Text with colours or cursor movements. Only this module makes control sequences: a plain string is made printable
// first, so no string can carry a sequence to a terminal, whoever wrote it.
import { printable } from "./printable.ts";

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

type Paint = (text: Text) => Styled;

export type Style = Readonly<Record<"bold" | "dim" | "red" | "green" | "yellow" | "cyan", Paint>>;

const paint = (open: number, close: number): Paint => {
  return (text) => sequence(`\u001b[${open}m${rendered(text)}\u001b[${close}m`);
};
const unstyled: Paint = (text) => sequence(rendered(text));

export const colours: Style = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
  cyan: paint(36, 39),
};

export const plain: Style = {
  bold: unstyled,
  dim: unstyled,
  red: unstyled,
  green: unstyled,
  yellow: unstyled,
  cyan: unstyled,
};

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
