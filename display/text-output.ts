// SPDX-License-Identifier: MIT OR Apache-2.0
// An output of a program as everything but this folder has it: it takes words for people and JSON, and no bytes.
import { printableJson } from "./printable.ts";
import { rendered, type Text } from "./styled.ts";

/** Where bytes go. */
export interface Sink {
  readonly isTTY: boolean;
  /** Of a terminal that says so. */
  readonly columns: number | undefined;
  /** Resolves when there is room for more, or nobody reads any more. */
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

  get columns(): number | undefined {
    return this.#sink.columns;
  }

  /** Words for people, with their own line feeds. */
  text(text: Text): Promise<void> {
    return this.#sink.write(rendered(text));
  }

  /** JSON documents or lines: for a program byte by byte, on a terminal with escapes for what it would obey or hide. */
  json(json: string): Promise<void> {
    return this.#sink.write(this.#sink.isTTY ? printableJson(json) : json);
  }
}
