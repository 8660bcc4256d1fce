// SPDX-License-Identifier: MIT OR Apache-2.0
// Chance that can be had again: everything random in a history comes from its seed.

const letters = "abcdefghijklmnopqrstuvwxyz234567";

export class Random {
  #state: number;

  /** `seed`: any whole number below 2^32. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, without, `below` (mulberry32). */
  whole(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  chance(percent: number): boolean {
    return this.whole(100) < percent;
  }

  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new Error("nothing to pick from");
    return from[this.whole(from.length)] as T;
  }

  /** As a session's id is written. */
  id(): string {
    return Array.from({ length: 12 }, () => letters.charAt(this.whole(letters.length))).join("");
  }

  bytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => this.whole(256));
}
