// SPDX-License-Identifier: MIT OR Apache-2.0
// An agent's stderr: as whole lines as it comes, and its end for whoever asks why the agent failed.
import { StringDecoder } from "node:string_decoder";
import { ByteRing, utf8Tail } from "./byte-ring.ts";

/** Longer lines are handed on in pieces of this many characters. */
const lineCharactersMax = 8192;

/** Hands stderr on in whole lines: redaction needs the whole secret, and a read of the pipe may end in its middle. */
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

interface StderrTailOptions {
  /** Of the text that is given out. */
  readonly bytesMax: number;
  readonly redact: (text: string) => string;
}

/** A secret up to this long cannot lose its recognisable front to the ring: that much more is kept and never shown. */
const overlapBytes = 4096;

/** Keeps the end of stderr, and gives it out without the secrets in it. */
export class StderrTail {
  readonly #options: StderrTailOptions;
  readonly #ring: ByteRing;

  constructor(options: StderrTailOptions) {
    this.#options = options;
    this.#ring = new ByteRing(options.bytesMax + overlapBytes);
  }

  push(chunk: Buffer): void {
    this.#ring.push(chunk);
  }

  /** At most `bytesMax` bytes of valid UTF-8, redacted before it was cut. */
  text(): string {
    const text = this.#options.redact(this.#ring.bytes().toString("utf8"));
    return utf8Tail(Buffer.from(this.#ring.wasCut ? text.slice(overlapBytes) : text), this.#options.bytesMax);
  }
}
