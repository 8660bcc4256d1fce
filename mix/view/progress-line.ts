// SPDX-License-Identifier: MIT OR Apache-2.0
// Shows on stderr how a long work goes: on a terminal one row that is drawn anew, elsewhere a line for each stage.
import { printableLine } from "../../display/printable.ts";
import { movement, rich } from "../../display/styled.ts";
import type { Context } from "../process/context.ts";
import type { Output } from "../process/output.ts";

export class ProgressLine {
  readonly #context: Pick<Context, "stderr" | "env">;
  readonly #output: Pick<Output, "word" | "mode">;
  readonly #isDrawing: boolean;
  #stage: string | undefined;

  constructor(context: Pick<Context, "stderr" | "env">, output: Pick<Output, "word" | "mode">) {
    this.#context = context;
    this.#output = output;
    this.#isDrawing = context.stderr.isTTY && context.env["TERM"] !== "dumb" && output.mode === "people";
  }

  show({ stage, now }: { readonly stage: string; readonly now: string }): void {
    const isNew = stage !== this.#stage;
    this.#stage = stage;
    if (!this.#isDrawing) {
      if (isNew) this.#output.word(stage);
      return;
    }
    const columns = this.#context.stderr.columns || 80;
    void this.#context.stderr.text(rich`${eraseRow}${printableLine(`${stage}${now}`).slice(0, columns - 1)}`);
  }

  /** Erases the row. */
  end(): void {
    if (this.#isDrawing && this.#stage !== undefined) void this.#context.stderr.text(rich`${eraseRow}`);
    this.#stage = undefined;
  }
}

const eraseRow = rich`${movement.rowStart}${movement.clearToRowEnd}`;
