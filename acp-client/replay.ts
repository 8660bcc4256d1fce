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
  #next: (() => void) | undefined;
  #cancelTimers: (() => void)[] = [];

  /** Call it when session/load is answered. */
  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#watch();
  }

  /** Records that a part of the history came. */
  grew(): void {
    this.#hasGrown = true;
  }

  /** Runs `next` once the replay is complete: now, or later. One call may wait at a time. */
  thenRun(next: () => void): void {
    if (this.#isComplete) return next();
    this.#next = next;
    this.#cancelTimers.push(this.#options.after(this.#options.waitMsMax, () => this.#complete()));
  }

  /** Drops what waits. Returns whether something did. */
  cancel(): boolean {
    const waited = this.#next !== undefined;
    this.#next = undefined;
    return waited;
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
    const next = this.#next;
    this.#next = undefined;
    next?.();
  }
}
