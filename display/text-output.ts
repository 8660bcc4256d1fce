// SPDX-License-Identifier: MIT OR Apache-2.0
// An output of a program. It takes text for people and JSON, never bytes.
import { logText } from "./log-text.ts";
import { printableJson } from "./printable.ts";
import { rendered, type Text } from "./styled.ts";

export interface Sink {
  readonly isTTY: boolean;
  /** Undefined if this is not a terminal or its width is unknown. */
  readonly columns: number | undefined;
  readonly rows?: number | undefined;
  /** Calls back when a terminal has another size. The returned function removes the listener. */
  readonly onResize?: (listener: () => void) => () => void;
  /** Resolves once there is room for more, or the reader is gone. */
  write(text: string): Promise<void>;
}

export class TextOutput {
  readonly #sink: Sink;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  get isTTY(): boolean {
    return this.#sink.isTTY;
  }

  /** 0 if this is not a terminal, and 80 if the terminal does not tell. */
  get columns(): number {
    return this.isTTY ? this.#sink.columns || usualSize.columns : 0;
  }

  get rows(): number {
    return this.#sink.rows || usualSize.rows;
  }

  /** Calls back when the terminal has another size. The returned function removes the listener. */
  onResize(listener: () => void): () => void {
    return this.#sink.onResize?.(listener) ?? (() => undefined);
  }

  /** Writes text for people. Adds no line feed. */
  text(text: Text): Promise<void> {
    return this.#sink.write(rendered(text));
  }

  /** Writes JSON: unchanged for a program, and with harmful characters escaped for a terminal. */
  json(json: string): Promise<void> {
    return this.#sink.write(this.#sink.isTTY ? printableJson(json) : json);
  }

  /** Writes a JSON line of pino: unchanged for a program, and as text for people on a terminal. */
  log(line: string): Promise<void> {
    return this.#sink.isTTY ? this.text(logText(line)) : this.#sink.write(line);
  }
}

const usualSize = { columns: 80, rows: 24 };
