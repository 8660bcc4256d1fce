// SPDX-License-Identifier: MIT OR Apache-2.0
// A ring buffer of a stream's last bytes, which bounds the memory of a flood.

export class ByteRing {
  #capacity: number;
  #ring = Buffer.alloc(0);
  #total = 0;

  /** `capacity` is the number of bytes that are kept, and may be 0. Memory is allocated when it is needed. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(chunk: Buffer): void {
    if (this.#ring.length < this.#capacity) this.#grow(this.#total + chunk.length);
    if (this.#ring.length > 0) this.#keep(chunk);
    this.#total += chunk.length;
  }

  /** Whether bytes were dropped. */
  get wasCut(): boolean {
    return this.#total > this.#capacity;
  }

  /** Returns the kept bytes in order. The next push may overwrite the buffer. */
  bytes(): Buffer {
    if (this.#ring.length === 0) return this.#ring;
    if (this.#total <= this.#ring.length) return this.#ring.subarray(0, this.#total);
    const at = this.#total % this.#ring.length;
    return Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)]);
  }

  /** Frees the memory and keeps nothing from then on. */
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

  /** Must not be called after the ring has wrapped around. */
  #grow(bytes: number): void {
    if (bytes <= this.#ring.length) return;
    const grown = Buffer.alloc(Math.min(this.#capacity, Math.max(bytes, 2 * this.#ring.length, 1024)));
    this.#ring.copy(grown, 0, 0, this.#total);
    this.#ring = grown;
  }
}

/** Returns the last `bytesMax` bytes of valid UTF-8 as text, without a character that is cut off at the front. */
export function utf8Tail(bytes: Buffer, bytesMax: number): string {
  const start = bytes.length - bytesMax;
  return bytes.toString("utf8", start > 0 ? nextCharacterStart(bytes, start) : 0);
}

/** Returns the first start of a character at or after `from`. */
export function nextCharacterStart(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}
