// SPDX-License-Identifier: MIT OR Apache-2.0
// The event loop is one for all sessions: of the work that holds it up, one turn of it gets only so much.
export interface PaceOptions {
  /** Work is begun in a turn of the event loop until it has taken so long. */
  readonly turnMs: number;
  /** In ms. Default: the process's clock. */
  readonly now?: () => number;
  /** Runs `run` in the next turn of the event loop. Default: setImmediate. */
  readonly nextTurn?: (run: () => void) => void;
}

export class Pace {
  readonly #turnMs: number;
  readonly #now: () => number;
  readonly #nextTurn: (run: () => void) => void;
  #waiting: (() => void)[] = [];
  #spentMs = 0;
  #turnIsCounted = false;

  constructor({ turnMs, now = () => performance.now(), nextTurn = setImmediate }: PaceOptions) {
    this.#turnMs = turnMs;
    this.#now = now;
    this.#nextTurn = nextTurn;
  }

  /** Runs the work in the call itself where this turn has time for it and nothing waits, else later, in the order of asking. */
  run(work: () => void): void {
    if (this.#waiting.length > 0 || this.#spentMs >= this.#turnMs) this.#waiting.push(work);
    else this.#spend(work);
  }

  #spend(work: () => void): void {
    if (!this.#turnIsCounted) {
      this.#turnIsCounted = true;
      this.#nextTurn(() => this.#beginTurn());
    }
    const began = this.#now();
    try {
      work();
    } finally {
      this.#spentMs += this.#now() - began;
    }
  }

  #beginTurn(): void {
    this.#turnIsCounted = false;
    this.#spentMs = 0;
    // What these bring about comes behind them.
    while (this.#spentMs < this.#turnMs) {
      const work = this.#waiting.shift();
      if (!work) return;
      this.#spend(work);
    }
  }
}
