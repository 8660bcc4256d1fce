// SPDX-License-Identifier: MIT OR Apache-2.0

import type { Clock } from "../clock.ts";

export interface PropsChange {
  readonly path: string;
  readonly old: unknown;
  readonly new: unknown;
  readonly ts: string;
  readonly cause: string;
}

/**
 * Throttles change notifications: publishes the first at once, then at most one for each path in `everyMs`, and always the
 * last one of a burst, so that a reader of the notifications ends up with the current value.
 */
export class PropsChanged {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #publish: (change: PropsChange) => void;
  readonly #paths = new Map<string, { published: unknown; waiting: { value: unknown; cause: string } | undefined }>();
  readonly #cancels = new Map<string, () => void>();

  /** `initial` holds the values before the first change. */
  constructor(
    clock: Clock,
    everyMs: number,
    initial: Readonly<Record<string, unknown>>,
    publish: (change: PropsChange) => void,
  ) {
    for (const [path, published] of Object.entries(initial)) this.#paths.set(path, { published, waiting: undefined });
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#publish = publish;
  }

  change(path: string, value: unknown, cause: string): void {
    const state = this.#paths.get(path) ?? { published: null, waiting: undefined };
    this.#paths.set(path, state);
    if (this.#cancels.has(path)) {
      state.waiting = { value, cause };
      return;
    }
    this.#publish({ path, old: state.published, new: value, ts: new Date(this.#clock.now()).toISOString(), cause });
    state.published = value;
    this.#cancels.set(
      path,
      this.#clock.after(this.#everyMs, () => {
        this.#cancels.delete(path);
        const { waiting } = state;
        state.waiting = undefined;
        if (waiting !== undefined) this.change(path, waiting.value, waiting.cause);
      }),
    );
  }

  close(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }
}
