// SPDX-License-Identifier: MIT OR Apache-2.0
// Limits synchronous work (file reads) to about half of the event loop, which all sessions share.
export interface EventLoopBudgetOptions {
  /** Once the work of one turn has taken this long, no more starts for as long as it took. */
  readonly turnMs: number;
  /** Returns ms; `performance.now` by default. */
  readonly now?: () => number;
  /** Default: setTimeout, or setImmediate for 0. */
  readonly after?: (ms: number, run: () => void) => void;
}

export class EventLoopBudget {
  readonly #turnMs: number;
  readonly #now: () => number;
  readonly #after: (ms: number, run: () => void) => void;
  #waiting: (() => void)[] = [];
  /** In this turn of the event loop. */
  #spentMs = 0;
  #turnEndScheduled = false;
  #isWorking = false;
  #isResting = false;

  constructor({ turnMs, now = () => performance.now(), after = schedule }: EventLoopBudgetOptions) {
    this.#turnMs = turnMs;
    this.#now = now;
    this.#after = after;
  }

  /** Runs the work synchronously, or later if other work is queued or the budget is spent. Keeps the order of calls. */
  run(work: () => void): void {
    this.#waiting.push(work);
    if (!this.#isWorking) this.#drain();
  }

  #drain(): void {
    while (!this.#isResting) {
      const work = this.#waiting.shift();
      if (!work) return;
      this.#runMeasured(work);
    }
  }

  #runMeasured(work: () => void): void {
    const began = this.#now();
    this.#isWorking = true;
    try {
      work();
    } finally {
      this.#isWorking = false;
      this.#spentMs += this.#now() - began;
      this.#chargeTurn();
    }
  }

  #chargeTurn(): void {
    if (this.#spentMs >= this.#turnMs) {
      this.#isResting = true;
      // One turn is not enough: a request over the Bus takes several turns until its response.
      this.#after(this.#spentMs, () => {
        this.#spentMs = 0;
        this.#isResting = false;
        this.#drain();
      });
    } else if (!this.#turnEndScheduled) {
      this.#turnEndScheduled = true;
      this.#after(0, () => {
        this.#turnEndScheduled = false;
        if (!this.#isResting) this.#spentMs = 0;
      });
    }
  }
}

function schedule(ms: number, run: () => void): void {
  if (ms === 0) setImmediate(run);
  else setTimeout(run, ms);
}
