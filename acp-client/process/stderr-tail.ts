// SPDX-License-Identifier: MIT OR Apache-2.0
// The last words of an agent, less its secrets.
import { ByteRing, endOfText } from "./byte-ring.ts";

export interface StderrTailOptions {
  /** Of the text that is given out. */
  readonly bytesMax: number;
  readonly redact: (text: string) => string;
}

/** A secret up to this long cannot lose its recognisable front to the ring: that much more is kept and never shown. */
const overlapBytes = 4096;

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
    return endOfText(Buffer.from(this.#ring.wasCut ? text.slice(overlapBytes) : text), this.#options.bytesMax);
  }
}
