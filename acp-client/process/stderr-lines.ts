// SPDX-License-Identifier: MIT OR Apache-2.0
// stderr as it comes, in whole lines: redaction needs the whole secret, and a read of the pipe may end in its middle.
import { StringDecoder } from "node:string_decoder";

/** Longer lines are handed on in pieces of this many characters. */
const lineCharactersMax = 8192;

export class StderrLines {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new StringDecoder("utf8");
  #partial = "";

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** A carriage return ends a line too, as progress bars write it. Blank lines are left out. */
  push(chunk: Buffer): void {
    const lines = (this.#partial + this.#decoder.write(chunk)).split(/[\r\n]+/);
    this.#partial = lines.pop() ?? "";
    for (const line of lines) this.#pass(line);
    if (this.#partial.length >= lineCharactersMax) this.#flush();
  }

  end(): void {
    this.#partial += this.#decoder.end();
    this.#flush();
  }

  #flush(): void {
    const line = this.#partial;
    this.#partial = "";
    this.#pass(line);
  }

  #pass(line: string): void {
    for (let at = 0; at < line.length; at += lineCharactersMax) this.#onLine(line.slice(at, at + lineCharactersMax));
  }
}
