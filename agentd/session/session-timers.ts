// SPDX-License-Identifier: MIT OR Apache-2.0
// The timers of all sessions, each known by its session, its kind and its key.
import type { Timer } from "./input.ts";

export class SessionTimers {
  readonly #after: (ms: number, run: () => void) => () => void;
  readonly #cancels = new Map<string, () => void>();

  /** `after`: runs a function after some milliseconds; the result cancels it. */
  constructor(after: (ms: number, run: () => void) => () => void) {
    this.#after = after;
  }

  /** In the place of the one with the same key. */
  arm(session: string, timer: Timer, key: string, afterMs: number, run: () => void): void {
    const name = timerName(session, timer, key);
    this.#cancels.get(name)?.();
    const cancel = this.#after(afterMs, () => {
      this.#cancels.delete(name);
      run();
    });
    this.#cancels.set(name, cancel);
  }

  disarm(session: string, timer: Timer, key: string): void {
    const name = timerName(session, timer, key);
    this.#cancels.get(name)?.();
    this.#cancels.delete(name);
  }

  disarmAll(session: string): void {
    const prefix = `${session}/`;
    for (const [name, cancel] of this.#cancels) {
      if (!name.startsWith(prefix)) continue;
      cancel();
      this.#cancels.delete(name);
    }
  }

  clear(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }
}

function timerName(session: string, timer: Timer, key: string): string {
  return `${session}/${timer}/${key}`;
}
