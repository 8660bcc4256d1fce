// SPDX-License-Identifier: MIT OR Apache-2.0
// The last words of an agent: a ring of bytes, so that a flood costs no more than a whisper.

export interface StderrTailOptions {
  /** Of the text that is given out. */
  readonly bytesMax: number;
  readonly redact: (text: string) => string;
}

/** A secret up to this long cannot lose its recognisable front to the ring: that much more is kept and never shown. */
const overlapBytes = 4096;

export class StderrTail {
  readonly #options: StderrTailOptions;
  readonly #capacity: number;
  #ring = Buffer.alloc(0);
  #total = 0;

  constructor(options: StderrTailOptions) {
    this.#options = options;
    this.#capacity = options.bytesMax + overlapBytes;
  }

  push(chunk: Buffer): void {
    // Most agents write little to stderr: the ring grows to its size only when that is needed.
    if (this.#ring.length < this.#capacity) this.#grow(this.#total + chunk.length);
    const kept = chunk.subarray(Math.max(0, chunk.length - this.#ring.length));
    const at = (this.#total + chunk.length - kept.length) % this.#ring.length;
    const first = kept.copy(this.#ring, at);
    kept.copy(this.#ring, 0, first);
    this.#total += chunk.length;
  }

  /** At most `bytesMax` bytes of valid UTF-8, redacted before it was cut. */
  text(): string {
    const wasCut = this.#total > this.#ring.length;
    const text = this.#options.redact(this.#bytes().toString("utf8"));
    return endOf(wasCut ? text.slice(overlapBytes) : text, this.#options.bytesMax);
  }

  #bytes(): Buffer {
    if (this.#total <= this.#ring.length) return this.#ring.subarray(0, this.#total);
    const at = this.#total % this.#ring.length;
    return Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)]);
  }

  /** Only before the ring ever went round. */
  #grow(bytes: number): void {
    if (bytes <= this.#ring.length) return;
    const grown = Buffer.alloc(Math.min(this.#capacity, Math.max(bytes, 2 * this.#ring.length, 1024)));
    this.#ring.copy(grown, 0, 0, this.#total);
    this.#ring = grown;
  }
}

/** The last `bytesMax` bytes of the text, less the character that would be cut. */
function endOf(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  let start = Math.max(0, bytes.length - bytesMax);
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.toString("utf8", start);
}
