// SPDX-License-Identifier: MIT OR Apache-2.0
// The history that an agent repeats for session/load. ACP wants it before the response; Gemini CLI sends it afterwards.
// So everything up to the first prompt is history, and the first prompt waits until no more of it comes.

export interface ReplayOptions {
  /** Time without history after which the replay counts as complete. */
  readonly quietMs: number;
  /** Longest time that a prompt waits for that. */
  readonly waitMsMax: number;
  /** Called once, when the replay is complete. */
  readonly onComplete: () => void;
  /** Calls `run` once after `ms`, unless the returned function is called first. */
  readonly after: (ms: number, run: () => void) => () => void;
}

export class Replay {
  readonly #options: ReplayOptions;
  #isComplete = false;
  /** History came since the quiet time began. */
  #hasGrown = false;
  #waiting: { readonly next: () => void; readonly cancelled: () => void } | undefined;
  #cancelTimers: (() => void)[] = [];

  /** Call it when session/load is answered. */
  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#watch();
  }

  /** Whether a call waits. */
  get isHolding(): boolean {
    return this.#waiting !== undefined;
  }

  /** Records that a part of the history came. */
  grew(): void {
    this.#hasGrown = true;
  }

  /** Runs `next` once the replay is complete: now, or later; or `cancelled` instead. One call may wait at a time. */
  thenRun(next: () => void, cancelled: () => void): void {
    if (this.#isComplete) return next();
    this.#waiting = { next, cancelled };
    this.#cancelTimers.push(this.#options.after(this.#options.waitMsMax, () => this.#complete()));
  }

  /** Cancels what waits. Returns whether something did. */
  cancel(): boolean {
    const waiting = this.#takeWaiting();
    waiting?.cancelled();
    return waiting !== undefined;
  }

  /** Gives up waiting for history: the agent is gone, and what waits must learn that from its own request. */
  end(): void {
    this.#finish();
  }

  #watch(): void {
    this.#hasGrown = false;
    const check = (): void => (this.#hasGrown ? this.#watch() : this.#complete());
    this.#cancelTimers.push(this.#options.after(this.#options.quietMs, check));
  }

  #complete(): void {
    this.#options.onComplete();
    this.#finish();
  }

  #finish(): void {
    this.#isComplete = true;
    for (const cancel of this.#cancelTimers.splice(0)) cancel();
    this.#takeWaiting()?.next();
  }

  #takeWaiting() {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}
