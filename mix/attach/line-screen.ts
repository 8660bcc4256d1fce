// SPDX-License-Identifier: MIT OR Apache-2.0
// Draws frames at the bottom of the terminal, below what others wrote, and erases them.
import { isSameText, joined, movement, rich, type Text } from "../../display/styled.ts";
import type { TextOutput } from "../../display/text-output.ts";
import type { Frame, ScreenSize } from "./line-frame.ts";

interface Drawn {
  readonly frame: Frame;
  /** The column in which the text above ends: the frame begins in the row below it. */
  readonly above: number;
  readonly written: Text;
}

export class LineScreen {
  readonly #output: TextOutput;
  /** Whether the terminal breaks rows that no longer fit when it becomes narrower. */
  readonly #isReflowing: boolean;
  /** Undefined while nothing is on the screen. */
  #drawn: Drawn | undefined;

  constructor(output: TextOutput, env: Readonly<Record<string, string | undefined>>) {
    this.#output = output;
    this.#isReflowing = env["XTERM_VERSION"] === undefined && env["TERM"] !== "linux";
  }

  get size(): ScreenSize {
    return this.#output;
  }

  /** `above` is the column in which the text above ends. */
  draw(frame: Frame, above: number): void {
    const { rows, row, column } = frame;
    const drawn = this.#drawn;
    const shown = joined(
      rows.map(({ text }) => rich`${text}${movement.clearToRowEnd}`),
      "\n",
    );
    const written = rich`${shown}${`${row} ${column}`}`;
    if (drawn !== undefined && isSameText(drawn.written, written)) return;
    this.#drawn = { frame, above: drawn?.above ?? above, written };
    const start =
      drawn === undefined && above > 0 ? "\n" : rich`${movement.up(drawn?.frame.row ?? 0)}${movement.rowStart}`;
    const rest = (drawn?.frame.rows.length ?? 0) > rows.length ? movement.clearBelow : "";
    const place = rich`${movement.up(rows.length - 1 - row)}${movement.toColumn(column + 1)}`;
    void this.#output.text(rich`${start}${shown}${rest}${place}`);
  }

  /** Leaves the cursor where the text above ends. */
  erase(): void {
    const drawn = this.#drawn;
    if (drawn === undefined) return;
    this.#drawn = undefined;
    const { frame, above } = drawn;
    const clear = frame.rows.length > 1 ? movement.clearBelow : movement.clearToRowEnd;
    const back = above > 0 ? rich`${movement.up(1)}${movement.toColumn(above + 1)}` : "";
    void this.#output.text(rich`${movement.up(frame.row)}${movement.rowStart}${clear}${back}`);
  }

  /** The screen has changed, and the cursor is at the start of an empty row. */
  forget(): void {
    this.#drawn = undefined;
  }

  /** Erases what the terminal made of the frame when its size changed. The next frame is drawn in the same place. */
  resized(): void {
    const drawn = this.#drawn;
    if (drawn === undefined) return;
    const { frame, above } = drawn;
    const { columns } = this.size;
    const rowsOf = (width: number): number => (this.#isReflowing ? Math.max(1, Math.ceil(width / columns)) : 1);
    const rowsBefore = frame.rows.slice(0, frame.row).reduce((count, row) => count + rowsOf(row.columns), 0);
    const rowsUp = rowsBefore + rowsOf(frame.column + 1) - 1;
    void this.#output.text(rich`${movement.up(rowsUp)}${movement.rowStart}${movement.clearBelow}`);
    const aboveNow = above > columns && this.#isReflowing ? ((above - 1) % columns) + 1 : above;
    this.#drawn = { frame: { rows: [], row: 0, column: 0 }, above: aboveNow, written: "" };
  }
}
