// SPDX-License-Identifier: MIT OR Apache-2.0
// The last bytes of a stream, so that a flood costs no more than a whisper.

export class ByteRing {
  #capacity: number;
  #ring = Buffer.alloc(0);
  #total = 0;

  /** How many bytes are kept; 0 keeps none. The memory is taken when it is needed. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(chunk: Buffer): void {
    // Most streams are short: the ring grows to its size only when that is needed.
    if (this.#ring.length < this.#capacity) this.#grow(this.#total + chunk.length);
    if (this.#ring.length > 0) this.#keep(chunk);
    this.#total += chunk.length;
  }

  /** Whether bytes were let go. */
  get wasCut(): boolean {
    return this.#total > this.#capacity;
  }

  /** What is kept, in order. The buffer may change at the next push. */
  bytes(): Buffer {
    if (this.#ring.length === 0) return this.#ring;
    if (this.#total <= this.#ring.length) return this.#ring.subarray(0, this.#total);
    const at = this.#total % this.#ring.length;
    return Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)]);
  }

  /** Keeps nothing any more, and gives the memory back. */
  close(): void {
    this.#capacity = 0;
    this.#ring = Buffer.alloc(0);
  }

  #keep(chunk: Buffer): void {
    const kept = chunk.subarray(Math.max(0, chunk.length - this.#ring.length));
    const at = (this.#total + chunk.length - kept.length) % this.#ring.length;
    const first = kept.copy(this.#ring, at);
    kept.copy(this.#ring, 0, first);
  }

  /** Only before the ring ever went round. */
  #grow(bytes: number): void {
    if (bytes <= this.#ring.length) return;
    const grown = Buffer.alloc(Math.min(this.#capacity, Math.max(bytes, 2 * this.#ring.length, 1024)));
    this.#ring.copy(grown, 0, 0, this.#total);
    this.#ring = grown;
  }
}

/** The last `bytesMax` bytes of valid UTF-8 as text, less the character that would be cut. */
export function utf8Tail(bytes: Buffer, bytesMax: number): string {
  const start = bytes.length - bytesMax;
  return bytes.toString("utf8", start > 0 ? nextCharacterStart(bytes, start) : 0);
}

/** Where the first character begins that is not cut by `from`. */
export function nextCharacterStart(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}
