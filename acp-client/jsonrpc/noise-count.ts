// SPDX-License-Identifier: MIT OR Apache-2.0

export interface NoiseLimits {
  /** Lines in a row, without one message between them, after which the other side counts as not speaking at all. */
  readonly noiseLinesMax: number;
  /** The same in UTF-16 units. */
  readonly noiseCharactersMax: number;
}

/** Noise is never fatal by itself; nothing but noise is. */
export class NoiseCounter {
  readonly #limits: NoiseLimits;
  #lines = 0;
  #characters = 0;
  #broken = false;

  constructor(limits: NoiseLimits) {
    this.#limits = limits;
  }

  /** A message came. */
  reset(): void {
    this.#lines = 0;
    this.#characters = 0;
  }

  /** What to say when the limit is reached: once. */
  add(characters: number): string | undefined {
    this.#lines += 1;
    this.#characters += characters;
    const { noiseLinesMax, noiseCharactersMax } = this.#limits;
    if (this.#broken || (this.#lines < noiseLinesMax && this.#characters < noiseCharactersMax)) return undefined;
    this.#broken = true;
    return `${this.#lines} lines (${this.#characters} characters) in a row on its stdout were not ACP messages`;
  }
}
