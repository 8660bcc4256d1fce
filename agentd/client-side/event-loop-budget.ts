// SPDX-License-Identifier: MIT OR Apache-2.0
// The event loop is one for all sessions: work that holds it up gets a part of it, and the rest is everybody else's.
export interface EventLoopBudgetOptions {
  /** Work is begun in a turn of the event loop until it has taken so long; then it rests for as long as it took. */
  readonly turnMs: number;
  /** In ms. Default: the process's clock. */
  readonly now?: () => number;
  /** Default: a timer; 0 is the next turn of the event loop. */
  readonly after?: (ms: number, run: () => void) => void;
}

export class EventLoopBudget {
  readonly #turnMs: number;
  readonly #now: () => number;
  readonly #after: (ms: number, run: () => void) => void;
  #waiting: (() => void)[] = [];
  /** In this turn. */
  #spentMs = 0;
  #turnEndScheduled = false;
  #isWorking = false;
  #isResting = false;

  constructor({ turnMs, now = () => performance.now(), after = schedule }: EventLoopBudgetOptions) {
    this.#turnMs = turnMs;
    this.#now = now;
    this.#after = after;
  }

  /** Runs the work in the call itself, or later where others wait or there is a rest, in the order of asking. */
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
      // One turn alone would not do: what comes from afar goes through several before it is answered.
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
