// SPDX-License-Identifier: MIT OR Apache-2.0
// How much is read from agents in one turn of the event loop, by all of them together. A pipe that is filled as fast as
// it is read would be read on and on, by the megabyte, and many of them one after the other; meanwhile nobody is answered.

export interface Reader {
  /** Counts what was read. False: nothing more is to be read until the budget calls `resume`. */
  spend(bytes: number): boolean;
}

/** In one turn, in bytes; a read that was begun is finished. */
const turnBytesMax = 128 * 1024;
/** What one reader has of it where others wait: one read of Node's. */
const shareBytes = 64 * 1024;
/** Readers that have rested and go on in one turn. */
const resumedPerTurnMax = turnBytesMax / shareBytes;
/** Who has read less since its last rest does not rest for the others' sake: a question is not held up by a flood. */
const smallReadBytes = 8 * 1024;

export class ReadBudget {
  #left = turnBytesMax;
  #isTurnScheduled = false;
  /** First in, first out. */
  readonly #resting: (() => void)[] = [];

  reader(resume: () => void): Reader {
    let own = 0;
    return {
      spend: (bytes) => {
        own += bytes;
        this.#left -= bytes;
        this.#scheduleTurn();
        const share = this.#resting.length > 0 ? shareBytes : turnBytesMax;
        if ((this.#left > 0 && own < share) || own < smallReadBytes) return true;
        own = 0;
        this.#resting.push(resume);
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
    for (const resume of this.#resting.splice(0, resumedPerTurnMax)) resume();
    if (this.#resting.length > 0) this.#scheduleTurn();
  }
}
