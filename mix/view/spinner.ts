// SPDX-License-Identifier: MIT OR Apache-2.0
// A sign of life on stderr, on a terminal alone, that leaves no trace.
import { movement, rich } from "../../display/styled.ts";
import type { Context } from "../process/context.ts";

export class Spinner {
  readonly #context: Pick<Context, "stderr" | "stdout" | "after" | "now" | "env">;
  readonly #can: boolean;
  #frame = 0;
  #drawn = false;
  #callOff: (() => void) | undefined;
  #since = 0;

  constructor(context: Pick<Context, "stderr" | "stdout" | "after" | "now" | "env">) {
    this.#context = context;
    this.#can = context.stderr.isTTY && context.env["TERM"] !== "dumb";
  }

  show(): void {
    if (!this.#can || this.#callOff !== undefined) return;
    this.#since = this.#context.now();
    // Not at once: what comes within a moment needs no spinner.
    this.#callOff = this.#context.after(firstMs, () => this.#draw());
  }

  hide(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    if (this.#drawn) void this.#context.stderr.text(erased);
    this.#drawn = false;
  }

  #draw(): void {
    const seconds = Math.floor((this.#context.now() - this.#since) / 1000);
    const frame = frames[this.#frame % frames.length] ?? "";
    this.#frame += 1;
    this.#drawn = true;
    void this.#context.stderr.text(rich`${erased}${frame} working${seconds > 0 ? ` ${seconds}s` : ""}`);
    this.#callOff = this.#context.after(frameMs, () => this.#draw());
  }
}

const erased = rich`${movement.rowStart}${movement.clearToRowEnd}`;
const firstMs = 300;
const frameMs = 100;
const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
