// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads an agent's stderr: as lines, and as the tail that explains a failure.
import { StringDecoder } from "node:string_decoder";
import { ByteRing, utf8Tail } from "./byte-ring.ts";

/** Longer lines are passed on in pieces of this many UTF-16 units. */
const lineCharactersMax = 8192;

/** Splits stderr into lines. Redaction needs whole lines, since a read of the pipe may end within a secret. */
export class StderrLines {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new StringDecoder("utf8");
  #partial = "";

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** A carriage return also ends a line, since progress bars use it. Blank lines are left out. */
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
  /** Maximum size of the returned text. */
  readonly bytesMax: number;
  readonly redact: (text: string) => string;
}

/**
 * Extra bytes that are kept but never returned, so that secrets up to this length are redacted at the front of the
 * tail.
 */
const overlapBytes = 4096;

/** Keeps the end of stderr, and returns it redacted. */
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

  /** Returns at most `bytesMax` bytes of valid UTF-8, redacted before truncation. */
  text(): string {
    const text = this.#options.redact(this.#ring.bytes().toString("utf8"));
    return utf8Tail(Buffer.from(this.#ring.wasCut ? text.slice(overlapBytes) : text), this.#options.bytesMax);
  }
}
