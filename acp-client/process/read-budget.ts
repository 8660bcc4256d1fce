// SPDX-License-Identifier: MIT OR Apache-2.0
// Limits how much is read from all agents together in one turn of the event loop. Without it, pipes that are filled as
// fast as they are read would be read by the megabyte, one after the other, while nothing else is handled.

export interface Reader {
  /** Counts bytes that were read. If it returns false, the reader must pause until the budget calls `resume`. */
  spend(bytes: number): boolean;
}

/** Bytes in one turn of the event loop. A read that has begun is finished. */
const turnBytesMax = 128 * 1024;
/** Bytes that one reader may take while others wait: the size of one read in Node. */
const shareBytes = 64 * 1024;
/** Paused readers that are resumed in one turn. */
const resumedPerTurnMax = turnBytesMax / shareBytes;
/** A reader with fewer bytes since its last pause is not paused, so that a flood does not delay its requests. */
const smallReadBytes = 8 * 1024;

export class ReadBudget {
  #left = turnBytesMax;
  #isTurnScheduled = false;
  /** Paused readers, resumed in order. */
  readonly #paused: (() => void)[] = [];

  reader(resume: () => void): Reader {
    let own = 0;
    return {
      spend: (bytes) => {
        own += bytes;
        this.#left -= bytes;
        this.#scheduleTurn();
        const share = this.#paused.length > 0 ? shareBytes : turnBytesMax;
        if ((this.#left > 0 && own < share) || own < smallReadBytes) return true;
        own = 0;
        this.#paused.push(resume);
        return false;
      },
    };
  }

  #scheduleTurn(): void {
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isTurnScheduled = false;
    this.#left = turnBytesMax;
    for (const resume of this.#paused.splice(0, resumedPerTurnMax)) resume();
    if (this.#paused.length > 0) this.#scheduleTurn();
  }
}
