// SPDX-License-Identifier: MIT OR Apache-2.0
// Earlier prompts, for Up and Down.
import { type Draft, draftOf } from "./draft.ts";

export class LineHistory {
  /** The oldest one first. */
  #texts: string[] = [];
  #units = 0;
  /** How far back the shown text is: 0 is the one being written. */
  #back = 0;
  #written: Draft | undefined;

  /** Adds the newest one, and returns to the text being written. */
  add(text: string): void {
    this.#back = 0;
    if (text.trim() === "" || text === this.#texts.at(-1)) return;
    this.#texts.push(text);
    this.#units += text.length;
    while (this.#isFull) this.#units -= this.#texts.shift()?.length ?? 0;
  }

  /** Adds one that is older than all others. Returns false where there is no room for more. */
  addOlder(text: string): boolean {
    if (text.trim() === "" || text === this.#texts[0]) return true;
    if (this.#texts.length >= textsMax || this.#units + text.length > unitsMax) return false;
    this.#texts.unshift(text);
    this.#units += text.length;
    return true;
  }

  older(shown: Draft): Draft | undefined {
    const text = this.#texts.at(-1 - this.#back);
    if (text === undefined) return undefined;
    if (this.#back === 0) this.#written = shown;
    this.#back += 1;
    return draftOf(text);
  }

  newer(): Draft | undefined {
    if (this.#back === 0) return undefined;
    this.#back -= 1;
    return this.#back === 0 ? this.#written : draftOf(this.#texts.at(-this.#back) ?? "");
  }

  get #isFull(): boolean {
    return this.#texts.length > 1 && (this.#texts.length > textsMax || this.#units > unitsMax);
  }
}

const textsMax = 100;
/** UTF-16 units of all texts, except for a single longer one. */
const unitsMax = 8 * 1024 * 1024;
