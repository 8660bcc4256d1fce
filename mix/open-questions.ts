// SPDX-License-Identifier: MIT OR Apache-2.0
// The questions of a session that wait for a person at this terminal, in the order in which they came.
import type { AskedEntry } from "./attachment-line.ts";

interface Numbered {
  readonly asked: AskedEntry;
  /** Counts from 1 for the first question that came while none was open. */
  readonly number: number;
}

export class OpenQuestions {
  readonly #open = new Map<string, Numbered>();
  #total = 0;

  add(asked: AskedEntry): void {
    if (this.#open.has(asked.request)) return;
    if (this.#open.size === 0) this.#total = 0;
    this.#total += 1;
    this.#open.set(asked.request, { asked, number: this.#total });
  }

  remove(request: string): void {
    this.#open.delete(request);
  }

  get(request: string): AskedEntry | undefined {
    return this.#open.get(request)?.asked;
  }

  /** The one that is asked now: the oldest. The others wait their turn. */
  get current(): AskedEntry | undefined {
    const [first] = this.#open.values();
    return first?.asked;
  }

  all(): AskedEntry[] {
    return Array.from(this.#open.values(), ({ asked }) => asked);
  }

  /** ` (1 of 2)`; nothing where there is, or was, only one. */
  countWords(request: string): string {
    const number = this.#open.get(request)?.number;
    return number === undefined || this.#total < 2 ? "" : ` (${number} of ${this.#total})`;
  }
}
