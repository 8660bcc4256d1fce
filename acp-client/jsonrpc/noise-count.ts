// SPDX-License-Identifier: MIT OR Apache-2.0
import type { PeerLimits } from "./peer-limits.ts";

/** Counts consecutive lines that are not messages. Some noise is harmless; nothing but noise is fatal. */
export class NoiseCounter {
  readonly #limits: PeerLimits;
  #lines = 0;
  #characters = 0;
  #broken = false;

  constructor(limits: PeerLimits) {
    this.#limits = limits;
  }

  /** Called for each message. */
  reset(): void {
    this.#lines = 0;
    this.#characters = 0;
  }

  /** Returns an error message once, when a limit is reached. */
  add(characters: number): string | undefined {
    this.#lines += 1;
    this.#characters += characters;
    const { noiseLinesMax, noiseCharactersMax } = this.#limits;
    if (this.#broken || (this.#lines < noiseLinesMax && this.#characters < noiseCharactersMax)) return undefined;
    this.#broken = true;
    return `${this.#lines} lines (${this.#characters} characters) in a row were not ACP messages`;
  }
}
