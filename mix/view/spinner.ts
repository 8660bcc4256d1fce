// SPDX-License-Identifier: MIT OR Apache-2.0
// A spinner on stderr with the seconds that have passed. Drawn on terminals only, and erased when hidden.
import { movement, rich } from "../../display/styled.ts";
import type { Context } from "../process/context.ts";

export class Spinner {
  readonly #context: Pick<Context, "stderr" | "stdout" | "after" | "now" | "env">;
  readonly #isEnabled: boolean;
  #frameIndex = 0;
  #isDrawn = false;
  #cancelTimer: (() => void) | undefined;
  #shownAt = 0;

  constructor(context: Pick<Context, "stderr" | "stdout" | "after" | "now" | "env">) {
    this.#context = context;
    this.#isEnabled = context.stderr.isTTY && context.env["TERM"] !== "dumb";
  }

  show(): void {
    if (!this.#isEnabled || this.#cancelTimer !== undefined) return;
    this.#shownAt = this.#context.now();
    // A short wait does not need a spinner.
    this.#cancelTimer = this.#context.after(firstFrameDelayMs, () => this.#draw());
  }

  hide(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#isDrawn) void this.#context.stderr.text(eraseRow);
    this.#isDrawn = false;
  }

  #draw(): void {
    const seconds = Math.floor((this.#context.now() - this.#shownAt) / 1000);
    const frame = frames[this.#frameIndex % frames.length] ?? "";
    this.#frameIndex += 1;
    this.#isDrawn = true;
    void this.#context.stderr.text(rich`${eraseRow}${frame} working${seconds > 0 ? ` ${seconds}s` : ""}`);
    this.#cancelTimer = this.#context.after(frameIntervalMs, () => this.#draw());
  }
}

const eraseRow = rich`${movement.rowStart}${movement.clearToRowEnd}`;
const firstFrameDelayMs = 300;
const frameIntervalMs = 100;
const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
