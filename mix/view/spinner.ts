// SPDX-License-Identifier: MIT OR Apache-2.0
// A spinner on stderr with the time that has passed. Drawn on terminals only, and erased when hidden.
import { movement, rich } from "../../display/styled.ts";
import { formatElapsed } from "../../display/units.ts";
import type { Context } from "../process/context.ts";

export class Spinner {
  readonly #context: Pick<Context, "stderr" | "stdout" | "after" | "now" | "env">;
  readonly #isEnabled: boolean;
  #frameIndex = 0;
  #isDrawn = false;
  #cancelTimer: (() => void) | undefined;
  #shownAt = 0;
  #column = 0;

  constructor(context: Pick<Context, "stderr" | "stdout" | "after" | "now" | "env">) {
    this.#context = context;
    this.#isEnabled = context.stderr.isTTY && context.env["TERM"] !== "dumb";
  }

  /** `column` is where the text above ends: in the middle of a row, the spinner takes the row below. */
  show(column = 0): void {
    if (!this.#isEnabled || this.#cancelTimer !== undefined) return;
    this.#shownAt = this.#context.now();
    this.#column = column;
    // A short wait does not need a spinner, and a row that opens below a text moves the screen.
    this.#cancelTimer = this.#context.after(column === 0 ? firstFrameDelayMs : firstBelowTextMs, () => this.#draw());
  }

  hide(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (!this.#isDrawn) return;
    this.#isDrawn = false;
    const back = this.#column === 0 ? "" : rich`${movement.up(1)}${movement.toColumn(this.#column + 1)}`;
    void this.#context.stderr.text(rich`${eraseRow}${back}`);
  }

  #draw(): void {
    const ms = this.#context.now() - this.#shownAt;
    const frame = frames[this.#frameIndex % frames.length] ?? "";
    this.#frameIndex += 1;
    const begin = this.#isDrawn || this.#column === 0 ? "" : "\n";
    this.#isDrawn = true;
    void this.#context.stderr.text(
      rich`${begin}${eraseRow}${frame} working${ms < 1000 ? "" : ` ${formatElapsed(ms)}`}`,
    );
    this.#cancelTimer = this.#context.after(frameIntervalMs, () => this.#draw());
  }
}

const eraseRow = rich`${movement.rowStart}${movement.clearToRowEnd}`;
const firstFrameDelayMs = 300;
const firstBelowTextMs = 1_000;
const frameIntervalMs = 100;
const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
